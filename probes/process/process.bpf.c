// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The kernel's own accounting of every thread: an iterator over those alive, run by the agent at the end of
 * a window, and a record of each that ended, so that processes of one millisecond are not missed.
 */
#include "probes/bpf/generation.bpf.h"
#include "probes/process/process.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* process_thread by task and start time of ended threads; the reader empties the old generation. A task's
 * memory may be used twice in a window. */
struct process_ended_key {
	__u64 start_time_ns;
	__u64 task;
};

#define PROCESS_ENDED_MAP(name)                        \
	struct {                                       \
		__uint(type, BPF_MAP_TYPE_HASH);       \
		__uint(max_entries, 32768);            \
		__type(key, struct process_ended_key); \
		__type(value, struct process_thread);  \
	} name SEC(".maps")

PROCESS_ENDED_MAP(ended_0);
PROCESS_ENDED_MAP(ended_1);

static __always_inline void fill(struct process_thread *out, struct task_struct *task)
{
	out->task = (__u64)task;
	out->tid = task->pid;
	out->tgid = task->tgid;
	out->parent_tgid = task->real_parent->tgid;
	out->flags = task->flags & HL_PF_KTHREAD ? HL_KEY_KERNEL_THREAD : 0;
	out->start_time_ns = task->start_time;
	out->utime_ns = task->utime;
	out->stime_ns = task->stime;
	out->sum_exec_runtime_ns = task->se.sum_exec_runtime;
	bpf_probe_read_kernel(out->comm, sizeof(out->comm), task->comm);
}

SEC("iter/task")
int on_each_thread(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct process_thread thread = {};

	if (!task || !task->pid)
		return 0;
	fill(&thread, task);
	thread.child_utime_ns = task->signal->cutime;
	thread.child_stime_ns = task->signal->cstime;
	bpf_seq_write(ctx->meta->seq, &thread, sizeof(thread));
	return 0;
}

static __always_inline void keep_ended(struct task_struct *task, __u32 flags)
{
	struct process_ended_key key = {};
	struct process_thread thread = {}, *exiting;
	struct hl_now now;
	long err;

	if (hl_read_generation(&now))
		return;
	if (!(flags & PROCESS_EXITING))
		hl_count(&now, PROCESS_ENDED);
	fill(&thread, task);
	thread.flags |= flags;
	key.start_time_ns = thread.start_time_ns;
	key.task = thread.task;
	if (flags & PROCESS_EXITING) { /* later the process's shared part is gone */
		thread.child_utime_ns = task->signal->cutime;
		thread.child_stime_ns = task->signal->cstime;
	} else {
		exiting = now.index ? bpf_map_lookup_elem(&ended_1, &key)
				    : bpf_map_lookup_elem(&ended_0, &key);
		if (exiting) {
			thread.child_utime_ns = exiting->child_utime_ns;
			thread.child_stime_ns = exiting->child_stime_ns;
		}
	}
	if (now.index)
		err = bpf_map_update_elem(&ended_1, &key, &thread, BPF_ANY);
	else
		err = bpf_map_update_elem(&ended_0, &key, &thread, BPF_ANY);
	if (err)
		hl_count(&now, PROCESS_ENDED_LOST);
}

/*
 * Two records of a thread's end, under one key. The first says who it was. The second comes after the last
 * switch and after the parent has waited, so its totals are final; but the thread has by then been out of the
 * iterator's sight for an RCU grace period.
 */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_process_exit, struct task_struct *task)
{
	keep_ended(task, PROCESS_EXITING);
	return 0;
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(on_process_free, struct task_struct *task)
{
	keep_ended(task, 0);
	return 0;
}
