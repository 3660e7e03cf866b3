#include "app/settings/agent_trust.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <boost/json/object.hpp>

#include <system_error>

#include "agents/toml_file.h"
#include "app/settings/file_output.h"
#include "core/try.h"
#include "wright/json.h"

namespace wright::app {
namespace {

std::string key_of(const std::filesystem::path& agent) {
  std::error_code error;
  const auto real = std::filesystem::weakly_canonical(agent, error);
  return to_valid_utf8((error ? std::filesystem::absolute(agent, error) : real).string());
}

}  // namespace

Result<TrustedAgents> TrustedAgents::load(const std::filesystem::path& record) {
  TrustedAgents trusted;
  trusted.record_ = record;
  std::error_code error;
  if (record.empty() || !std::filesystem::exists(record, error)) return trusted;
  const auto text = TRY(read_toml_file(record, "the record of trusted agents"));
  const auto json = parse_json(text);
  const JsonObject* agents = json ? json->if_object() : nullptr;
  if (agents == nullptr) {
    return fail(
        ErrorCode::invalid_json,
        fmt::format("{} is damaged; remove it, and trust your agents again", record.string()));
  }
  for (const auto& member : *agents) {
    if (!member.value().is_string()) continue;
    trusted.contents_[std::string(member.key())] = std::string(member.value().get_string());
  }
  return trusted;
}

bool TrustedAgents::holds(const std::filesystem::path& agent, std::string_view content) const {
  const auto found = contents_.find(key_of(agent));
  return found != contents_.end() && found->second == content;
}

Result<void> TrustedAgents::add(const std::filesystem::path& agent, std::string_view content) {
  if (record_.empty()) {
    return fail(ErrorCode::invalid_argument, "There is no home folder to remember this in");
  }
  contents_[key_of(agent)] = content;
  JsonObject json;
  for (const auto& [path, agreed] : contents_) json[path] = agreed;
  std::error_code error;
  if (!std::filesystem::exists(record_, error)) {
    return create_private_file(record_, to_pretty_text(json) + "\n");
  }
  return write_file(record_, to_pretty_text(json) + "\n");
}

}  // namespace wright::app
