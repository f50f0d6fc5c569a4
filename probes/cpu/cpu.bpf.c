// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Samples of what each CPU runs, summed by process, node and stack. */
#include "probes/bpf/stack.bpf.h"
#include "probes/cpu/cpu.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Samples (count) by hl_key; the reader empties the old generation. */
#define CPU_ROW_MAP(name)                        \
	struct {                                 \
		__uint(type, BPF_MAP_TYPE_HASH); \
		__uint(max_entries, 65536);      \
		__type(key, struct hl_key);      \
		__type(value, __u64);            \
	} name SEC(".maps")

CPU_ROW_MAP(samples_0);
CPU_ROW_MAP(samples_1);

static __always_inline __u64 *lookup_row(const struct hl_now *now, const struct hl_key *key)
{
	return now->index ? bpf_map_lookup_elem(&samples_1, key)
			  : bpf_map_lookup_elem(&samples_0, key);
}

static __always_inline __u64 *find_row(const struct hl_now *now, const struct hl_key *key)
{
	__u64 zero = 0, *row = lookup_row(now, key);

	if (row)
		return row;
	if (now->index)
		bpf_map_update_elem(&samples_1, key, &zero, BPF_NOEXIST);
	else
		bpf_map_update_elem(&samples_0, key, &zero, BPF_NOEXIST);
	return lookup_row(now, key);
}

SEC("perf_event")
int on_cpu_sample(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct hl_key key = {};
	struct hl_now now;
	__u64 *row;

	if (hl_read_generation(&now))
		return 0;
	if (!task->pid) {
		hl_count(&now, CPU_IDLE);
		return 0;
	}
	hl_count(&now, CPU_SEEN);
	key.tgid = task->tgid;
	key.node = bpf_get_numa_node_id();
	key.kernel_stack = hl_take_stack(ctx, &now, 0, CPU_KERNEL_STACK_LOST, CPU_NO_KERNEL_STACK);
	if (task->flags & HL_PF_KTHREAD)
		key.flags = HL_KEY_KERNEL_THREAD;
	else if (task->mm)
		key.user_stack = hl_take_stack(ctx, &now, BPF_F_USER_STACK, CPU_USER_STACK_LOST,
					       CPU_NO_USER_STACK);
	row = find_row(&now, &key);
	if (!row) {
		/* The process's row for lost stacks stands in, so that its total stays right. */
		key.kernel_stack = HL_STACK_LOST;
		key.user_stack = HL_STACK_LOST;
		row = find_row(&now, &key);
		if (row)
			hl_count(&now, CPU_STACK_FOLDED);
	}
	if (row)
		__sync_fetch_and_add(row, 1);
	else
		hl_count(&now, CPU_ROW_LOST);
	return 0;
}
