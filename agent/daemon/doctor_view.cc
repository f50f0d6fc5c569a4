#include "agent/daemon/doctor_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace hotlatch::agent {

std::string DoctorTable(const DoctorReport& report) {
  size_t width = 0;
  for (const Check& check : report.checks) width = std::max(width, check.name.size());
  for (const Question& question : report.questions) width = std::max(width, question.name.size());
  std::string out;
  for (const Check& check : report.checks) {
    out += fmt::format("{:{}}  {:8}  {}\n", check.name, width, CheckStateName(check.state),
                       check.seen);
    if (!check.advice.empty())
      out += fmt::format("{:{}}  {:8}  -> {}\n", "", width, "", check.advice);
  }
  out += "\nThis host can answer:\n";
  for (const Question& question : report.questions) {
    out += fmt::format("{:{}}  {:8}  {}\n", question.name, width, question.works ? "yes" : "no",
                       question.why);
  }
  return out;
}

std::string DoctorJson(const DoctorReport& report) {
  nlohmann::ordered_json json;
  json["usable"] = report.usable;
  json["questions"] = nlohmann::ordered_json::array();
  for (const Question& question : report.questions) {
    json["questions"].push_back(
        {{"name", question.name}, {"works", question.works}, {"why", question.why}});
  }
  json["checks"] = nlohmann::ordered_json::array();
  for (const Check& check : report.checks) {
    json["checks"].push_back({{"name", check.name},
                              {"state", CheckStateName(check.state)},
                              {"seen", check.seen},
                              {"advice", check.advice}});
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace hotlatch::agent
