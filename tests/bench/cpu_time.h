// CPU time of whole process trees, from /proc/PID/task/TID/schedstat (exact run time in ns).
#pragma once

#include <sys/types.h>

#include <vector>

namespace hotlatch {

// Of the live threads of the roots and of all their descendants, and of ended children they waited for.
double CpuSecondsOfTrees(const std::vector<pid_t>& roots);

}  // namespace hotlatch
