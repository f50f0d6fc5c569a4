#include "agent/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>

#include <memory>

namespace hotlatch {

Result<void> SetUpLog(const std::string& program, const std::string& level) {
  const auto parsed = spdlog::level::from_str(level);
  if (parsed == spdlog::level::off && level != "off") {
    return MakeError(ErrorKind::kInvalid,
                     "log level '" + level + "': use error, warn, info, debug or trace");
  }
  auto logger = std::make_shared<spdlog::logger>(
      program, std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
  logger->set_level(parsed);
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %n %^%l%$ %v");
  logger->flush_on(spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
  return {};
}

}  // namespace hotlatch
