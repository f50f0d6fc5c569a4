// The doctor's report as a person or a program reads it.
#pragma once

#include <string>

#include "agent/self/doctor.h"

namespace hotlatch::agent {

std::string DoctorTable(const DoctorReport& report);

// {"usable":bool,"questions":[{"name","works","why"}],"checks":[{"name","state","seen","advice"}]}
std::string DoctorJson(const DoctorReport& report);

}  // namespace hotlatch::agent
