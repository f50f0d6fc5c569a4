/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The few kernel types our programs touch. Field offsets are relocated when a program is loaded (CO-RE), so
 * only names and types matter here and no kernel's BTF is needed to build.
 */
#pragma once

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/types.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

typedef _Bool bool;

#define HL_PF_KTHREAD 0x00200000
#define HL_TASK_RUNNING 0
#define HL_TASK_DEAD 0x80 /* 4.20 and later */

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sched_entity {
	__u64 sum_exec_runtime;
};

struct signal_struct {
	__u64 cutime;
	__u64 cstime;
	int nr_threads;
};

struct task_struct {
	unsigned int __state; /* "state" before 5.14 */
	unsigned int flags;
	int exit_state;
	int on_cpu;
	void *stack;
	void *mm; /* NULL: kernel thread, or exiting past the point where it has user memory */
	struct sched_entity se;
	int pid;
	int tgid;
	struct task_struct *real_parent;
	__u64 utime;
	__u64 stime;
	unsigned long nvcsw;
	unsigned long nivcsw;
	__u64 start_time;
	char comm[16];
	struct signal_struct *signal;
};

struct task_struct___before_5_14 {
	volatile long state;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
	__u64 session_id;
	__u64 seq_num;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#pragma clang attribute pop

static __always_inline unsigned int hl_task_state(struct task_struct *task)
{
	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return ((struct task_struct___before_5_14 *)task)->state;
}
