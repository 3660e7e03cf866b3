#include "core/stack_frames.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace wright {
namespace {

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

std::string describe(void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return fmt::format("{}", address);
  std::string_view program = info.dli_fname;
  program.remove_prefix(program.rfind('/') + 1);  // npos + 1 is 0
  const auto distance_from = [&](const void* base) {
    return static_cast<const char*>(address) - static_cast<const char*>(base);
  };
  if (info.dli_sname == nullptr) {
    return fmt::format("{}+{:#x}", program, distance_from(info.dli_fbase));
  }
  return fmt::format("{}+{:#x} ({})", demangled(info.dli_sname), distance_from(info.dli_saddr),
                     program);
}

}  // namespace

std::vector<std::string> stack_frames(int count, int skip) {
  std::array<void*, 64> addresses{};
  const int found = backtrace(addresses.data(), static_cast<int>(addresses.size()));
  std::vector<std::string> frames;
  for (int i = std::max(skip, 0) + 1; i < found && static_cast<int>(frames.size()) < count; ++i) {
    frames.push_back(describe(addresses[static_cast<std::size_t>(i)]));
  }
  return frames;
}

std::string current_exception_type() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  return type == nullptr ? "unknown" : demangled(type->name());
}

}  // namespace wright
