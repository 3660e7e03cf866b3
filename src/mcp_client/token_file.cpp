#include "mcp_client/token_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <boost/json/object.hpp>

#include <cerrno>
#include <fstream>
#include <sstream>

#include "core/file_descriptor.h"
#include "core/try.h"

namespace wright::mcp_client {
namespace {

Json json_of(const KeptToken& kept) {
  return {{"access_token", kept.grant.access_token},
          {"refresh_token", kept.grant.refresh_token},
          {"scope", kept.grant.scope},
          {"resource", kept.resource},
          {"issuer", kept.issuer},
          {"token_endpoint", kept.token_endpoint},
          {"client_id", kept.client.id},
          {"client_secret", kept.client.secret},
          {"client_method", kept.client.method},
          {"redirect_uri", kept.redirect_uri}};
}

std::optional<KeptToken> kept_from(const JsonObject& all, std::string_view server) {
  const JsonObject* object = mcp::object_in(all, server);
  if (object == nullptr) return std::nullopt;
  const auto text = [&](std::string_view key) { return mcp::text_in(*object, key); };
  return KeptToken{.grant = {.access_token = text("access_token"),
                             .refresh_token = text("refresh_token"),
                             .scope = text("scope")},
                   .resource = text("resource"),
                   .issuer = text("issuer"),
                   .token_endpoint = text("token_endpoint"),
                   .client = {text("client_id"), text("client_secret"), text("client_method")},
                   .redirect_uri = text("redirect_uri")};
}

std::unexpected<Error> cannot(std::string_view what, const std::filesystem::path& file) {
  return fail(ErrorCode::storage,
              fmt::format("Cannot {} {}: check who may write there", what, file.string()));
}

}  // namespace

Result<JsonObject> TokenFile::read() {
  if (file_.empty()) return in_memory_;
  std::ifstream stream(file_);
  std::stringstream text;
  if (stream) text << stream.rdbuf();
  if (text.str().empty()) return JsonObject();
  auto json = parse_json(text.str());
  if (!json || !json->is_object()) {
    return fail(ErrorCode::storage,
                fmt::format("{} is no JSON object: remove it, and log in again", file_.string()));
  }
  return std::move(json->get_object());
}

Result<void> TokenFile::write(const JsonObject& all) {
  if (file_.empty()) {
    in_memory_ = all;
    return {};
  }
  const std::string text = to_pretty_text(all) + "\n";
  const std::string beside = fmt::format("{}.{}", file_.string(), ::getpid());
  ::unlink(beside.c_str());
  {
    const FileDescriptor file(
        ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const bool is_written =
        file.is_open() &&
        ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fsync(file.get()) == 0;
    if (!is_written) {
      ::unlink(beside.c_str());
      return cannot("write", file_);
    }
  }
  if (::rename(beside.c_str(), file_.c_str()) == 0) return {};
  ::unlink(beside.c_str());
  return cannot("write", file_);
}

Result<std::optional<KeptToken>> TokenFile::find(std::string_view server) {
  const std::lock_guard lock(mutex_);
  const auto all = TRY(read());
  return kept_from(all, server);
}

Result<void> TokenFile::change(std::string_view server, const Change& change) {
  const std::lock_guard lock(mutex_);
  FileDescriptor locked;
  if (!file_.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(file_.parent_path(), ignored);
    const std::string beside = file_.string() + ".lock";
    locked = FileDescriptor(
        ::open(beside.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    int result = -1;
    do {
      result = ::flock(locked.get(), LOCK_EX);
    } while (result != 0 && errno == EINTR);
    if (result != 0) return cannot("lock", beside);
  }
  auto all = TRY(read());
  const auto changed = TRY(change(kept_from(all, server)));
  if (changed) {
    all[server] = json_of(*changed);
  } else {
    all.erase(server);
  }
  return write(all);
}

}  // namespace wright::mcp_client
