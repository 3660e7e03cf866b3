// Any bytes as a configuration file: read, or refused with the file's name and a reason.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "app/settings/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wright::app;
  static const Environment environment(
      Environment::Variables{{"KEY", "value"}, {"EMPTY", ""}, {"NESTED", "${KEY}"}});
  const std::string_view text(reinterpret_cast<const char*>(data), size);  // NOLINT: bytes
  const auto file = parse_config(text, "wright.toml", environment);
  if (!file && !file.error().message.starts_with("wright.toml:")) std::abort();
  return 0;
}
