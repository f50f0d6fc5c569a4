/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the process programs and their reader share. */
#pragma once

#include "probes/abi/common.h"

/* Counters (probes/bpf/generation.bpf.h). */
enum {
	PROCESS_ENDED,	    /* threads whose totals are final */
	PROCESS_ENDED_LOST, /* records of ended threads that found no room */
	PROCESS_COUNTERS
};

/* Set when the thread is about to end: who it was is known, its totals are not final. */
#define PROCESS_EXITING 2

/* One thread, its life's totals. utime and stime are the tick-based shares, sum_exec_runtime is exact. */
struct process_thread {
	__u32 tid;
	__u32 tgid;
	__u32 parent_tgid;
	__u32 flags; /* HL_KEY_KERNEL_THREAD, PROCESS_EXITING */
	__u64 task; /* the kernel's task: what stays the same when exec gives a thread its leader's pid */
	__u64 start_time_ns;
	__u64 utime_ns;
	__u64 stime_ns;
	__u64 sum_exec_runtime_ns;
	__u64 child_utime_ns; /* of the whole process: ended children that were waited for */
	__u64 child_stime_ns;
	char comm[16];
};
HL_STATIC_ASSERT(sizeof(struct process_thread) == 88, "process_thread");
