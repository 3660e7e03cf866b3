#include "app/settings/agent_trust.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <system_error>

#include "app/settings/file_output.h"
#include "core/file_descriptor.h"
#include "core/sha256.h"
#include "core/try.h"
#include "project/text_file.h"
#include "tools/workspace/file_calls.h"
#include "wright/json.h"

namespace wright::app {
namespace {

// Earlier records held whole contents; a digest takes their place with the next agreement.
constexpr std::size_t kLargestRecord = std::size_t{64} << 20;
constexpr std::string_view kDigestMark = "sha256:";

std::string key_of(const std::filesystem::path& agent) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(agent, error);
  return to_valid_utf8((error ? std::filesystem::absolute(agent, error) : real).string());
}

std::string digest_of(std::string_view content) {
  return fmt::format("{}{}", kDigestMark, sha256_hex(content));
}

// As long as it is kept, nobody else adds to the record.
Result<FileDescriptor> turn_to_add(const std::filesystem::path& record) {
  std::error_code error;
  std::filesystem::create_directories(record.parent_path(), error);
  FileDescriptor folder(::open(record.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  tools::FileCalls calls;
  if (folder.is_open() && calls.lock(folder.get())) return folder;
  return fail(ErrorCode::unavailable,
              fmt::format("{} cannot be locked; nothing was agreed to. Try again later",
                          record.parent_path().string()));
}

}  // namespace

Result<TrustedAgents> TrustedAgents::load(const std::filesystem::path& record) {
  TrustedAgents trusted;
  trusted.record_ = record;
  std::error_code error;
  if (record.empty() || !std::filesystem::exists(record, error)) return trusted;
  const auto text = TRY(project::read_text(record, kLargestRecord));
  const auto json = parse_json(text);
  const JsonObject* agents = json ? json->if_object() : nullptr;
  if (agents == nullptr) {
    return fail(
        ErrorCode::invalid_json,
        fmt::format("{} is damaged; remove it, and trust your agents again", record.string()));
  }
  for (const auto& member : *agents) {
    if (!member.value().is_string()) continue;
    const std::string_view agreed = member.value().get_string();
    trusted.digests_[std::string(member.key())] =
        agreed.starts_with(kDigestMark) ? std::string(agreed) : digest_of(agreed);
  }
  return trusted;
}

bool TrustedAgents::holds(const std::filesystem::path& agent, std::string_view content) const {
  const auto found = digests_.find(key_of(agent));
  return found != digests_.end() && found->second == digest_of(content);
}

Result<void> TrustedAgents::add(const std::filesystem::path& agent, std::string_view content) {
  if (record_.empty()) {
    return fail(ErrorCode::invalid_argument, "There is no home folder to remember this in");
  }
  const auto turn = TRY(turn_to_add(record_));
  // Others may have added something since it was read.
  auto now = TRY(load(record_));
  digests_ = std::move(now.digests_);
  digests_[key_of(agent)] = digest_of(content);
  JsonObject json;
  for (const auto& [path, agreed] : digests_) json[path] = agreed;
  const std::string text = to_pretty_text(json) + "\n";
  if (text.size() > kLargestRecord) {
    return fail(
        ErrorCode::limit_reached,
        fmt::format("{} is full; remove it, and trust your agents again", record_.string()));
  }
  std::error_code error;
  if (!std::filesystem::exists(record_, error)) return create_private_file(record_, text);
  return write_file(record_, text);
}

}  // namespace wright::app
