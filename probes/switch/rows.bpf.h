/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rows of the switch probe: found or made, by the stack with which a task left the CPU. */
#pragma once

static __always_inline struct switch_row *lookup_row(const struct hl_now *now,
						     const struct hl_key *key)
{
	if (now->index)
		return bpf_map_lookup_elem(&rows_1, key);
	return bpf_map_lookup_elem(&rows_0, key);
}

static __always_inline long insert_row(const struct hl_now *now, const struct hl_key *key)
{
	static const struct switch_row empty;

	if (now->index)
		return bpf_map_update_elem(&rows_1, key, &empty, BPF_NOEXIST);
	return bpf_map_update_elem(&rows_0, key, &empty, BPF_NOEXIST);
}

/* When the map is full the process's row for lost stacks stands in, so that its totals stay right. key then
 * says so. */
static __always_inline struct switch_row *find_row(const struct hl_now *now, struct hl_key *key)
{
	struct switch_row *row = lookup_row(now, key);

	if (row)
		return row;
	insert_row(now, key);
	row = lookup_row(now, key);
	if (row)
		return row;
	key->kernel_stack = HL_STACK_LOST;
	key->user_stack = HL_STACK_LOST;
	row = lookup_row(now, key);
	if (!row) {
		insert_row(now, key);
		row = lookup_row(now, key);
	}
	if (row)
		hl_count(now, SWITCH_STACK_FOLDED);
	return row;
}

static __always_inline void take_key(void *ctx, const struct hl_now *now, struct task_struct *task,
				     struct hl_key *key)
{
	key->tgid = task->tgid;
	key->node = bpf_get_numa_node_id();
	if (cfg_kernel_stacks)
		key->kernel_stack = hl_take_stack(ctx, now, 0, SWITCH_KERNEL_STACK_LOST,
						  SWITCH_NO_KERNEL_STACK);
	if (task->flags & HL_PF_KTHREAD)
		key->flags = HL_KEY_KERNEL_THREAD;
	else if (cfg_user_stacks && task->mm)
		key->user_stack = hl_take_stack(ctx, now, BPF_F_USER_STACK, SWITCH_USER_STACK_LOST,
						SWITCH_NO_USER_STACK);
}
