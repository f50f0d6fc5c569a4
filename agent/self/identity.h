// Who sends the windows: host, boot and this run of the agent.
#pragma once

#include <string>

#include "agent/base/result.h"
#include "hotlatch/v1/window.pb.h"

namespace hotlatch::agent {

// 128 random bits from the kernel as 32 lower-case hexadecimal digits.
Result<std::string> RandomHex128();

// The identity of a new session, with sequence 0: the caller counts from 1.
// - host_id: /etc/machine-id, stable over boots. Where that file is missing or malformed
// (containers,
//   golden images) it is 32 digits derived from the host's name: stable as long as the name is, and
//   the same for two hosts of one name.
// - boot_id: proc_root/sys/kernel/random/boot_id; "" where it cannot be read.
// Fails only when the kernel gives no random bytes.
Result<v1::Identity> NewIdentity(const std::string& proc_root);

// As above with the machine-id file named; for tests.
Result<v1::Identity> NewIdentity(const std::string& proc_root, const std::string& machine_id_path);

}  // namespace hotlatch::agent
