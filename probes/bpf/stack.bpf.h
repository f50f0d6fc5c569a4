/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Stacks kept by the 64-bit hash of their frames. BPF_MAP_TYPE_STACK_TRACE is not used: it drops a stack
 * whose 32-bit hash bucket is taken, and the hottest stacks are the likeliest to meet.
 */
#pragma once

#include "probes/bpf/generation.bpf.h"

/* Stack by hash; the reader empties the old generation after reading. The agent sets max_entries. */
#define HL_STACK_MAP(name)                       \
	struct {                                 \
		__uint(type, BPF_MAP_TYPE_HASH); \
		__uint(max_entries, 16384);      \
		__type(key, __u64);              \
		__type(value, struct hl_stack);  \
	} name SEC(".maps")

HL_STACK_MAP(stacks_0);
HL_STACK_MAP(stacks_1);

/* One per CPU and object: a stack is too large for the BPF stack. Programs of one object that use it run
 * with interrupts off or are themselves the interrupt, so they do not meet on one CPU. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hl_stack);
} stack_scratch SEC(".maps");

/* Multiply and fold, one step a frame, order matters. 64 bits: a clash among a million stacks has a chance
 * of 3 in 100 million. */
static __always_inline __u64 hl_hash_frames(const struct hl_stack *stack)
{
	__u64 hash = 0x9e3779b97f4a7c15ull ^ stack->depth;
	__u32 i;

	for (i = 0; i < HL_MAX_FRAMES; i++) {
		if (i >= stack->depth)
			break;
		hash = (hash ^ stack->pc[i]) * 0xff51afd7ed558ccdull;
		hash ^= hash >> 32;
	}
	return hash > HL_STACK_LOST ? hash : hash + 2;
}

static __always_inline long hl_insert_stack(const struct hl_now *now, __u64 hash,
					    const struct hl_stack *stack)
{
	if (now->index)
		return bpf_map_update_elem(&stacks_1, &hash, stack, BPF_NOEXIST);
	return bpf_map_update_elem(&stacks_0, &hash, stack, BPF_NOEXIST);
}

static __always_inline int hl_has_stack(const struct hl_now *now, __u64 hash)
{
	if (now->index)
		return bpf_map_lookup_elem(&stacks_1, &hash) != NULL;
	return bpf_map_lookup_elem(&stacks_0, &hash) != NULL;
}

/* Keeps scratch (bytes = length of its pc in bytes, or an error) and returns its id. Counts lost_counter
 * when there is no room, empty_counter when no stack could be taken. */
static __always_inline __u64 hl_keep_stack(const struct hl_now *now, struct hl_stack *scratch,
					   long bytes, __u32 lost_counter, __u32 empty_counter)
{
	long err;
	__u64 hash;

	if (bytes < (long)sizeof(__u64)) {
		hl_count(now, empty_counter);
		return HL_STACK_NONE;
	}
	scratch->depth = (__u32)bytes / sizeof(__u64);
	scratch->truncated = scratch->depth >= HL_MAX_FRAMES;
	hash = hl_hash_frames(scratch);
	if (hl_has_stack(now, hash))
		return hash;
	err = hl_insert_stack(now, hash, scratch);
	if (err && err != -17 /* EEXIST: another CPU was faster */) {
		hl_count(now, lost_counter);
		return HL_STACK_LOST;
	}
	return hash;
}

/* bpf_get_stack of the current task; flags 0 = kernel, BPF_F_USER_STACK = user by frame pointer. */
static __always_inline __u64 hl_take_stack(void *ctx, const struct hl_now *now, __u64 flags,
					   __u32 lost_counter, __u32 empty_counter)
{
	__u32 zero = 0;
	struct hl_stack *scratch = bpf_map_lookup_elem(&stack_scratch, &zero);
	long bytes;

	if (!scratch)
		return HL_STACK_LOST;
	bytes = bpf_get_stack(ctx, scratch->pc, sizeof(scratch->pc), flags);
	return hl_keep_stack(now, scratch, bytes, lost_counter, empty_counter);
}
