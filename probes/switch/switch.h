/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the switch programs and their reader share. All times are ns of CLOCK_MONOTONIC. */
#pragma once

#include "probes/abi/common.h"

/* Counters (probes/bpf/generation.bpf.h). */
enum {
	SWITCH_SEEN,	  /* switches away from a task that is not idle */
	SWITCH_IDLE,	  /* switches away from an idle task */
	SWITCH_ROW_LOST,  /* a switch without a row: the map is full even for [stack lost] */
	SWITCH_TIME_LOST, /* an interval whose time found no row */
	SWITCH_KERNEL_STACK_LOST,
	SWITCH_USER_STACK_LOST,
	SWITCH_NO_KERNEL_STACK,
	SWITCH_NO_USER_STACK, /* user tasks only */
	SWITCH_TASK_LOST,     /* task map full: its times are missing, its counts are not */
	SWITCH_WAKER_LOST,
	SWITCH_CLOCK_BACK, /* an interval that would end before it began */
	SWITCH_STACK_FOLDED, /* a switch or interval in the row [stack lost] because the map is full */
	SWITCH_MISSED, /* a task came to a CPU that had never left one: our program did not run */
	SWITCH_COUNTERS
};

enum {
	SWITCH_STATE_NONE,     /* not known yet */
	SWITCH_STATE_RUNNING,  /* on a CPU */
	SWITCH_STATE_RUNNABLE, /* woken or preempted, waits for a CPU */
	SWITCH_STATE_BLOCKED,
	SWITCH_STATE_DEAD, /* kept only until the reader has charged its span */
};

/* Row by hl_key: summed from the stack a task left the CPU with. */
struct switch_row {
	__u64 voluntary;
	__u64 involuntary;
	__u64 oncpu_ns;	   /* on the CPU before these switches */
	__u64 blocked_ns;  /* until the wake-up */
	__u64 runnable_ns; /* from wake-up or preemption to the CPU */
	__u64 waits;	   /* how often it waited for a CPU */
};
HL_STATIC_ASSERT(sizeof(struct switch_row) == 48, "switch_row");

/* A state and since when; key says where it left the CPU (for RUNNING: only tgid, node, flags). */
struct switch_interval {
	__u64 since_ns;
	__u32 state;
	__u32 pad;
	struct hl_key key;
};
HL_STATIC_ASSERT(sizeof(struct switch_interval) == 48, "switch_interval");

/*
 * Task by tid: always in one state. Each transition charges the ended interval to the running generation,
 * from the generation's start at the earliest. When the interval began before that, it is also kept in
 * span, under the number of the generation in which it ended: so the reader, which closes a window at T
 * shortly after T, finds for every task the one interval that T falls in, either as now or as span.
 *
 * The reader copies an entry while programs may write it. Programs raise version_back, write, then set
 * version_front; a forward copy reads front first and back last, so equal versions mean a whole entry.
 */
struct switch_task {
	__u32 version_front;
	__u32 waker_tgid;    /* of the wake-up under way */
	__u64 start_time_ns; /* tells a reused tid */
	__u64 nvcsw;	     /* the kernel's own counts at the last switch */
	__u64 nivcsw;
	struct switch_interval now;
	struct switch_interval span;
	__u64 span_seq;
	__u32 waker_kind;
	__u32 version_back;
};
HL_STATIC_ASSERT(sizeof(struct switch_task) == 144, "switch_task");

enum { SWITCH_WAKER_TASK, SWITCH_WAKER_SOFTIRQ, SWITCH_WAKER_HARDIRQ, SWITCH_WAKER_INTERRUPT };

struct switch_wake_key {
	__u32 tgid;
	__u32 waker_tgid; /* 0 when an interrupt woke it */
	__u32 waker_kind;
	__u32 flags; /* HL_KEY_KERNEL_THREAD of the woken task */
};
HL_STATIC_ASSERT(sizeof(struct switch_wake_key) == 16, "switch_wake_key");
