/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* State of each thread (struct switch_task): found or made, its intervals ended, its wakers counted. */
#pragma once

#define barrier() asm volatile("" ::: "memory")

static __always_inline void begin_write(struct switch_task *task)
{
	*(volatile __u32 *)&task->version_back = task->version_front + 1;
	barrier();
}

static __always_inline void end_write(struct switch_task *task)
{
	barrier();
	*(volatile __u32 *)&task->version_front = task->version_back;
}

/* A fresh entry of a thread in the given state since ts_ns. A span that the reader has not yet seen, left by
 * a dead thread with the same tid, is kept. */
static __always_inline void start_task(const struct hl_now *now, struct switch_task *task,
				       struct task_struct *p, __u64 ts_ns, __u32 state)
{
	begin_write(task);
	task->start_time_ns = p->start_time;
	task->nvcsw = p->nvcsw;
	task->nivcsw = p->nivcsw;
	task->now.since_ns = ts_ns;
	task->now.state = state;
	task->now.key.kernel_stack = HL_STACK_NONE;
	task->now.key.user_stack = HL_STACK_NONE;
	task->now.key.tgid = p->tgid;
	task->now.key.node = bpf_get_numa_node_id();
	task->now.key.flags = p->flags & HL_PF_KTHREAD ? HL_KEY_KERNEL_THREAD : 0;
	end_write(task);
}

static __always_inline struct switch_task *
find_task(const struct hl_now *now, struct task_struct *p, __u64 ts_ns, __u32 state_if_new)
{
	static const struct switch_task empty;
	__u32 tid = p->pid;
	struct switch_task *task = bpf_map_lookup_elem(&tasks, &tid);

	if (task && task->start_time_ns == p->start_time && task->now.state != SWITCH_STATE_DEAD)
		return task;
	if (!task) {
		bpf_map_update_elem(&tasks, &tid, &empty, BPF_NOEXIST);
		task = bpf_map_lookup_elem(&tasks, &tid);
		if (!task) {
			hl_count(now, SWITCH_TASK_LOST);
			return NULL;
		}
	}
	start_task(now, task, p, ts_ns, state_if_new);
	return task;
}

/*
 * The kernel counts a switch just before the tracepoint (__schedule), so the counter that moved tells which
 * kind it was. prev_state does not: a task that was about to block and got a signal is counted as
 * voluntary and is still runnable. Only where the last counts are unknown the arguments decide.
 */
static __always_inline bool is_voluntary(const struct switch_task *task, struct task_struct *prev,
					 bool preempt, __u32 state)
{
	__u64 nvcsw = prev->nvcsw, nivcsw = prev->nivcsw;

	if (task && task->nvcsw + task->nivcsw + 1 == nvcsw + nivcsw)
		return nvcsw != task->nvcsw;
	if (nvcsw + nivcsw == 1)
		return nvcsw == 1;
	return !preempt && state != HL_TASK_RUNNING;
}

/* Charges the interval that ends at ts_ns. cpu_row: row for time on the CPU, of the switch that ends it. */
static __always_inline void end_interval(const struct hl_now *now, struct switch_task *task,
					 __u64 ts_ns, struct switch_row *cpu_row)
{
	struct switch_interval *interval = &task->now;
	struct switch_row *row = cpu_row;
	struct hl_key key;
	__u64 from_ns = interval->since_ns, ns;

	if (interval->state == SWITCH_STATE_NONE)
		return;
	if (from_ns < now->start_ns) {
		task->span = *interval;
		task->span_seq = now->seq;
		from_ns = now->start_ns;
	}
	if (ts_ns < from_ns) {
		hl_count(now, SWITCH_CLOCK_BACK);
		ts_ns = from_ns;
	}
	ns = ts_ns - from_ns;
	if (interval->state != SWITCH_STATE_RUNNING) {
		key = interval->key; /* the next window's map may have room for it */
		row = find_row(now, &key);
	}
	if (!row) {
		hl_count(now, SWITCH_TIME_LOST);
		return;
	}
	if (interval->state == SWITCH_STATE_RUNNING) {
		__sync_fetch_and_add(&row->oncpu_ns, ns);
	} else if (interval->state == SWITCH_STATE_BLOCKED) {
		__sync_fetch_and_add(&row->blocked_ns, ns);
	} else {
		__sync_fetch_and_add(&row->runnable_ns, ns);
		__sync_fetch_and_add(&row->waits, 1);
	}
}

/* The preempt count moved into struct pcpu_hot in 6.2 and back in 6.15. */
extern const int __preempt_count __ksym __weak;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct pcpu_hot {
	int preempt_count;
};
#pragma clang attribute pop

extern const struct pcpu_hot pcpu_hot __ksym __weak;

#define PREEMPT_SOFTIRQ_SERVING 0x00000100
#define PREEMPT_HARDIRQ_OR_NMI 0x00ff0000

static __always_inline __u32 interrupt_by_preempt_count(void)
{
	int bits = 0;

	if (&__preempt_count)
		bits = *(const int *)bpf_this_cpu_ptr(&__preempt_count);
	else if (&pcpu_hot)
		bits = ((const struct pcpu_hot *)bpf_this_cpu_ptr(&pcpu_hot))->preempt_count;
	if (bits & PREEMPT_HARDIRQ_OR_NMI)
		return SWITCH_WAKER_HARDIRQ;
	return bits & PREEMPT_SOFTIRQ_SERVING ? SWITCH_WAKER_SOFTIRQ : SWITCH_WAKER_TASK;
}

/*
 * x86-64. An interrupt of kernel code runs on a stack of the CPU's; a program's locals are on the stack it runs
 * on (one this small gets no private stack), and 16 KiB is THREAD_SIZE. An interrupt of user code runs on the
 * task's own stack; there orig_ax, the number of a system call, is -1. That is so for a page fault too, whose
 * wake-ups are then not the task's.
 */
static __always_inline __u32 interrupt_by_stack(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 *local = NULL, here = 0;
	struct pt_regs *regs;

	local = &here;
	bpf_probe_read_kernel(&here, sizeof(here), &local);
	if (here - (__u64)task->stack >= 16384)
		return SWITCH_WAKER_INTERRUPT;
	if (task->flags & HL_PF_KTHREAD)
		return SWITCH_WAKER_TASK;
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	return (long)regs->orig_rax == -1 ? SWITCH_WAKER_INTERRUPT : SWITCH_WAKER_TASK;
}

static __always_inline void note_waker(struct switch_task *task, __u32 kind)
{
	task->waker_kind = kind;
	task->waker_tgid = kind == SWITCH_WAKER_TASK ? bpf_get_current_pid_tgid() >> 32 : 0;
}

static __always_inline void count_wake(const struct hl_now *now, const struct switch_task *task)
{
	struct switch_wake_key key = {
		.tgid = task->now.key.tgid,
		.waker_tgid = task->waker_tgid,
		.waker_kind = task->waker_kind,
		.flags = task->now.key.flags,
	};
	__u64 one = 1, *count;
	long err;

	count = now->index ? bpf_map_lookup_elem(&wakes_1, &key)
			   : bpf_map_lookup_elem(&wakes_0, &key);
	if (count) {
		__sync_fetch_and_add(count, 1);
		return;
	}
	if (now->index)
		err = bpf_map_update_elem(&wakes_1, &key, &one, BPF_NOEXIST);
	else
		err = bpf_map_update_elem(&wakes_0, &key, &one, BPF_NOEXIST);
	if (!err)
		return;
	/* Another CPU may have been faster. */
	count = now->index ? bpf_map_lookup_elem(&wakes_1, &key)
			   : bpf_map_lookup_elem(&wakes_0, &key);
	if (count)
		__sync_fetch_and_add(count, 1);
	else
		hl_count(now, SWITCH_WAKER_LOST);
}

/* The iterator runs with preemption on: not the scratch of on_sched_switch. Only one runs at a time. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hl_stack);
} seed_scratch SEC(".maps");

static __always_inline void seed_task(const struct hl_now *now, struct task_struct *p, __u32 state,
				      struct hl_stack *scratch)
{
	struct switch_task seed = {};
	__u32 tid = p->pid;
	long bytes;

	seed.start_time_ns = p->start_time;
	seed.nvcsw = p->nvcsw;
	seed.nivcsw = p->nivcsw;
	seed.now.since_ns = bpf_ktime_get_ns();
	seed.now.state = state;
	seed.now.key.tgid = p->tgid;
	seed.now.key.node = -1;
	seed.now.key.flags = p->flags & HL_PF_KTHREAD ? HL_KEY_KERNEL_THREAD : 0;
	if (state == SWITCH_STATE_BLOCKED && cfg_kernel_stacks) {
		bytes = bpf_get_task_stack(p, scratch->pc, sizeof(scratch->pc), 0);
		seed.now.key.kernel_stack = hl_keep_stack(
			now, scratch, bytes, SWITCH_KERNEL_STACK_LOST, SWITCH_NO_KERNEL_STACK);
	}
	/* A program that has seen the task in the meantime knows better. */
	if (bpf_map_update_elem(&tasks, &tid, &seed, BPF_NOEXIST) == -7 /* E2BIG */)
		hl_count(now, SWITCH_TASK_LOST);
}
