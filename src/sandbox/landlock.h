// Landlock by system call: which files, TCP ports, signals and sockets a process and its children
// may reach. The C library of our platform does not know the calls.
#pragma once

#include <expected>
#include <filesystem>
#include <span>
#include <string_view>

#include "core/file_descriptor.h"
#include "wright/error.h"
#include "wright/sandbox.h"

namespace wright::sandbox {

// Which version of the interface introduced what.
inline constexpr int kLandlockTruncate = 3;
inline constexpr int kLandlockNetwork = 4;
inline constexpr int kLandlockDevices = 5;
inline constexpr int kLandlockScopes = 6;

// 0 when the kernel has no Landlock, or it is switched off.
int landlock_version();

// The rules of `policy` for a kernel of `version`; `private_folder` may be written to as well. Its
// descriptor is for landlock_restrict_self() and can be used any number of times.
Result<FileDescriptor> make_ruleset(const SandboxPolicy& policy,
                                    const std::filesystem::path& private_folder, int version);

// Allows reading and executing everything below an opened folder. 0, or an errno.
int allow_reading(int ruleset, int folder);

// What every policy may read in addition to its own paths, where it exists; and the devices it may
// use.
std::span<const std::string_view> system_paths();
std::span<const std::string_view> system_devices();

// Why a path of a policy cannot be opened.
std::unexpected<Error> cannot_allow(const std::filesystem::path& path, int problem);

// Confines the calling thread. 0, or an errno. Safe between vfork and exec.
int restrict_self(int ruleset);

}  // namespace wright::sandbox
