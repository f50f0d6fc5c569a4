// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Exact context switches, and for every thread where its time goes: on a CPU, waiting for one, blocked.
 * Rows are keyed by the stack with which a task left the CPU.
 */
#include "probes/bpf/stack.bpf.h"
#include "probes/switch/switch.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Without user stacks a switch costs about half; set by the agent. */
const volatile __u32 cfg_user_stacks = 1;
const volatile __u32 cfg_kernel_stacks = 1;

/* switch_row by hl_key; the reader empties the old generation. */
#define SWITCH_ROW_MAP(name)                      \
	struct {                                  \
		__uint(type, BPF_MAP_TYPE_HASH);  \
		__uint(max_entries, 65536);       \
		__type(key, struct hl_key);       \
		__type(value, struct switch_row); \
	} name SEC(".maps")

SWITCH_ROW_MAP(rows_0);
SWITCH_ROW_MAP(rows_1);

/* Wake-ups (count) by switch_wake_key; the reader empties the old generation. */
#define SWITCH_WAKE_MAP(name)                        \
	struct {                                     \
		__uint(type, BPF_MAP_TYPE_HASH);     \
		__uint(max_entries, 16384);          \
		__type(key, struct switch_wake_key); \
		__type(value, __u64);                \
	} name SEC(".maps")

SWITCH_WAKE_MAP(wakes_0);
SWITCH_WAKE_MAP(wakes_1);

/* switch_task by tid. Preallocated: nothing is allocated under the run queue's lock. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32);
	__type(value, struct switch_task);
} tasks SEC(".maps");

#include "probes/switch/rows.bpf.h"
#include "probes/switch/tasks.bpf.h"

/* An exiting task leaves for the last time. Its entry stays when the reader still needs its span. */
static __always_inline void forget_task(const struct hl_now *now, __u32 tid,
					struct switch_task *task)
{
	if (task->span_seq == now->seq)
		task->now.state = SWITCH_STATE_DEAD;
	else
		bpf_map_delete_elem(&tasks, &tid);
}

static __always_inline void leave_cpu(void *ctx, const struct hl_now *now, __u64 ts_ns,
				      bool preempt, struct task_struct *prev)
{
	__u32 tid = prev->pid, state = hl_task_state(prev);
	struct switch_task *task = find_task(now, prev, ts_ns, SWITCH_STATE_RUNNING);
	struct hl_key key = {};
	struct switch_row *row;

	hl_count(now, SWITCH_SEEN);
	take_key(ctx, now, prev, &key);
	row = find_row(now, &key);
	if (row) {
		if (is_voluntary(task, prev, preempt, state))
			__sync_fetch_and_add(&row->voluntary, 1);
		else
			__sync_fetch_and_add(&row->involuntary, 1);
	} else {
		hl_count(now, SWITCH_ROW_LOST);
	}
	if (!task)
		return;

	begin_write(task);
	end_interval(now, task, ts_ns, row);
	task->now.key = key;
	task->now.since_ns = ts_ns;
	task->now.state =
		preempt || state == HL_TASK_RUNNING ? SWITCH_STATE_RUNNABLE : SWITCH_STATE_BLOCKED;
	task->nvcsw = prev->nvcsw;
	task->nivcsw = prev->nivcsw;
	end_write(task);
	if (state & HL_TASK_DEAD)
		forget_task(now, tid, task);
}

static __always_inline void enter_cpu(const struct hl_now *now, __u64 ts_ns,
				      struct task_struct *next)
{
	struct switch_task *task = find_task(now, next, ts_ns, SWITCH_STATE_NONE);

	if (!task)
		return;
	begin_write(task);
	if (task->now.state == SWITCH_STATE_RUNNING)
		hl_count(now, SWITCH_MISSED);
	else
		end_interval(now, task, ts_ns, NULL);
	task->now.since_ns = ts_ns;
	task->now.state = SWITCH_STATE_RUNNING;
	task->now.key.node = bpf_get_numa_node_id();
	end_write(task);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_sched_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct hl_now now;
	__u64 ts_ns;

	if (hl_read_generation(&now))
		return 0;
	ts_ns = hl_now_ns(&now);
	if (prev->pid)
		leave_cpu(ctx, &now, ts_ns, preempt, prev);
	else
		hl_count(&now, SWITCH_IDLE);
	if (next->pid)
		enter_cpu(&now, ts_ns, next);
	return 0;
}

/*
 * sched_waking runs in the waker, unlike sched_wakeup, which may run in an interrupt on the CPU that is woken.
 * Two ways to tell an interrupt, whose "current" woke nobody; the agent loads the first that the kernel takes:
 * by the preempt count, which needs a data symbol that not every kernel publishes, else by the stack.
 */
SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking_count, struct task_struct *wakee)
{
	__u32 tid = wakee->pid;
	struct switch_task *task = bpf_map_lookup_elem(&tasks, &tid);

	if (task)
		note_waker(task, interrupt_by_preempt_count());
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking_stack, struct task_struct *wakee)
{
	__u32 tid = wakee->pid;
	struct switch_task *task = bpf_map_lookup_elem(&tasks, &tid);

	if (task)
		note_waker(task, interrupt_by_stack());
	return 0;
}

/* Comes after the switch away from the task, also where the wake-up raced with it. */
SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_wakeup, struct task_struct *wakee)
{
	__u32 tid = wakee->pid;
	struct switch_task *task = bpf_map_lookup_elem(&tasks, &tid);
	struct hl_now now;
	__u64 ts_ns;

	if (!task || task->now.state != SWITCH_STATE_BLOCKED || hl_read_generation(&now))
		return 0;
	ts_ns = hl_now_ns(&now);
	count_wake(&now, task);
	begin_write(task);
	end_interval(&now, task, ts_ns, NULL);
	task->now.since_ns = ts_ns;
	task->now.state = SWITCH_STATE_RUNNABLE;
	end_write(task);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_wakeup_new, struct task_struct *child)
{
	struct hl_now now;

	if (!hl_read_generation(&now))
		find_task(&now, child, hl_now_ns(&now), SWITCH_STATE_RUNNABLE);
	return 0;
}

/* When a thread that is not the leader executes a program it takes over the leader's pid and start time. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct *task, int old_tid)
{
	__u32 old = old_tid, tid = task->pid;
	struct switch_task *entry, moved;

	if (old == tid)
		return 0;
	entry = bpf_map_lookup_elem(&tasks, &old);
	if (!entry)
		return 0;
	__builtin_memcpy(&moved, entry, sizeof(moved));
	moved.start_time_ns = task->start_time;
	bpf_map_update_elem(&tasks, &tid, &moved, BPF_ANY);
	bpf_map_delete_elem(&tasks, &old);
	return 0;
}

/* Once, after the other programs are attached: what is blocked or waits already. Their kernel stacks can be
 * taken from outside, their user stacks cannot. */
SEC("iter/task")
int on_each_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct hl_now now;
	__u32 zero = 0, state = SWITCH_STATE_BLOCKED;
	struct hl_stack *scratch;

	if (!task || !task->pid || hl_read_generation(&now))
		return 0;
	/* A zombie will never leave a CPU again: nothing would take its entry away. */
	if (task->exit_state || hl_task_state(task) & HL_TASK_DEAD)
		return 0;
	if (task->on_cpu)
		state = SWITCH_STATE_RUNNING;
	else if (hl_task_state(task) == HL_TASK_RUNNING)
		state = SWITCH_STATE_RUNNABLE;
	scratch = bpf_map_lookup_elem(&seed_scratch, &zero);
	if (!scratch)
		return 0;
	seed_task(&now, task, state, scratch);
	return 0;
}
