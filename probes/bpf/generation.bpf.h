/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Two generations of maps. Every object declares this map; the agent makes one and all objects share it, so
 * that one store of the index swaps all probes at once. After the swap the agent waits for an RCU grace
 * period: then no running program can still hold the old index.
 */
#pragma once

#include "probes/abi/common.h"
#include "probes/bpf/kernel_types.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hl_generation);
} generation SEC(".maps");

struct hl_now {
	__u64 seq;
	__u64 start_ns;
	__u32 index; /* seq & 1 */
};

static __always_inline int hl_read_generation(struct hl_now *now)
{
	__u32 zero = 0;
	struct hl_generation *gen = bpf_map_lookup_elem(&generation, &zero);

	if (!gen)
		return -1;
	now->seq = *(volatile __u64 *)&gen->seq;
	now->index = now->seq & 1;
	now->start_ns = *(volatile __u64 *)&gen->start_ns[now->index];
	return 0;
}

/* The time of an event in this generation. Read after the generation, and never before its start: CPUs' clocks
 * differ by a little, and an interval that seems to begin in the old one would be charged to it again. */
static __always_inline __u64 hl_now_ns(const struct hl_now *now)
{
	__u64 ns = bpf_ktime_get_ns();

	return ns < now->start_ns ? now->start_ns : ns;
}

/* What was seen and what was lost, per CPU: counters[index * HL_COUNTERS + counter]. The reader of the
 * probe clears the old generation's half after reading it. */
#define HL_COUNTERS 16

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2 * HL_COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} counters SEC(".maps");

static __always_inline void hl_count(const struct hl_now *now, __u32 counter)
{
	__u32 slot = now->index * HL_COUNTERS + counter;
	__u64 *count = bpf_map_lookup_elem(&counters, &slot);

	if (count)
		*count += 1;
}
