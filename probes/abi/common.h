/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Shapes shared by every BPF program and its reader. Fixed widths, padding written out. */
#pragma once

#include <linux/types.h>

#ifdef __cplusplus
#define HL_STATIC_ASSERT static_assert
#else
#define HL_STATIC_ASSERT _Static_assert
#endif

/*
 * The running generation. Programs read seq once per run and write only to maps number (seq & 1).
 * start_ns[seq & 1] is when that generation began, CLOCK_MONOTONIC. Written by the agent only.
 */
struct hl_generation {
	__u64 seq;
	__u64 start_ns[2];
};
HL_STATIC_ASSERT(sizeof(struct hl_generation) == 24, "hl_generation");

/* 127 is the kernel's own default limit (kernel.perf_event_max_stack). */
#define HL_MAX_FRAMES 127

/* Ids of stacks are 64-bit hashes of their frames; these two are no hashes. */
#define HL_STACK_NONE 0 /* there is none: kernel thread, user mode, exiting */
#define HL_STACK_LOST 1 /* there is one, but it could not be kept; counted */

struct hl_stack {
	__u32 depth;
	__u32 truncated; /* 1: deeper than HL_MAX_FRAMES */
	__u64 pc[HL_MAX_FRAMES];
};
HL_STATIC_ASSERT(sizeof(struct hl_stack) == 1024, "hl_stack");

#define HL_KEY_KERNEL_THREAD 1

/* Where something happened. node is the NUMA node of the CPU, -1 unknown. */
struct hl_key {
	__u64 kernel_stack;
	__u64 user_stack;
	__u32 tgid;
	__s32 node;
	__u32 flags;
	__u32 pad;
};
HL_STATIC_ASSERT(sizeof(struct hl_key) == 32, "hl_key");
