/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the cpu program and its reader share. */
#pragma once

#include "probes/abi/common.h"

/* Counters (probes/bpf/generation.bpf.h). */
enum {
	CPU_SEEN,	  /* samples of a task that is not idle */
	CPU_IDLE,	  /* samples of an idle task */
	CPU_ROW_LOST,	  /* a sample without a row: the map is full even for [stack lost] */
	CPU_STACK_FOLDED, /* a sample in the row [stack lost] because the map is full */
	CPU_KERNEL_STACK_LOST,
	CPU_USER_STACK_LOST,
	CPU_NO_KERNEL_STACK, /* the sample was in user mode; no loss */
	CPU_NO_USER_STACK,   /* user tasks only */
	CPU_COUNTERS
};
