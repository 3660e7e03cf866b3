#include "server/tokens.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "core/file_descriptor.h"
#include "core/hex.h"
#include "core/sha256.h"
#include "core/try.h"
#include "store/labels.h"
#include "wright/json.h"

namespace wright::server {
namespace {

// Among the scopes of a token for one tenant: programs that know no tenants do not know this scope
// either, and refuse the token.
constexpr std::string_view kOfTenant = "tenant";

Json to_json(const TokenRecord& record) {
  JsonArray scopes;
  for (const Scope scope : record.scopes) scopes.push_back(Json(enum_name(scope)));
  if (record.tenant) scopes.push_back(Json(kOfTenant));
  JsonObject json{{"name", record.name},
                  {"scopes", std::move(scopes)},
                  {"sha256", record.hash},
                  {"created_at", record.created_at}};
  if (record.tenant) json["tenant"] = *record.tenant;
  return json;
}

std::optional<TokenRecord> record_from(const Json& json) {
  const JsonObject* object = json.if_object();
  if (object == nullptr) return std::nullopt;
  const Json* name = object->if_contains("name");
  const Json* hash = object->if_contains("sha256");
  const Json* scopes = object->if_contains("scopes");
  if (name == nullptr || !name->is_string() || hash == nullptr || !hash->is_string() ||
      scopes == nullptr || !scopes->is_array()) {
    return std::nullopt;
  }
  TokenRecord record{.name = std::string(name->get_string()),
                     .hash = std::string(hash->get_string())};
  bool is_of_tenant = false;
  for (const Json& scope : scopes->get_array()) {
    if (!scope.is_string()) return std::nullopt;
    if (scope.get_string() == kOfTenant) {
      is_of_tenant = true;
      continue;
    }
    const auto known = enum_named<Scope>(scope.get_string());
    if (!known) return std::nullopt;  // what a newer version knows is not guessed at
    record.scopes.insert(*known);
  }
  const Json* tenant = object->if_contains("tenant");
  if (is_of_tenant != (tenant != nullptr)) return std::nullopt;
  if (tenant != nullptr) {
    if (!tenant->is_string() || tenant->get_string().empty()) return std::nullopt;
    record.tenant = std::string(tenant->get_string());
  }
  const Json* created = object->if_contains("created_at");
  if (created != nullptr && created->is_int64()) record.created_at = created->get_int64();
  return record;
}

std::string_view name_in(const Json& json) {
  const JsonObject* object = json.if_object();
  const Json* name = object == nullptr ? nullptr : object->if_contains("name");
  return name == nullptr || !name->is_string() ? std::string_view()
                                               : std::string_view(name->get_string());
}

// Whoever may write the file may let in whom they like.
Result<void> check_mode(const std::filesystem::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0 || (found.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
  return fail(
      ErrorCode::permission_denied,
      fmt::format("{0} may be written by others: no token in it is accepted. Look at who is "
                  "in it, then: chmod 600 {0}",
                  file.string()));
}

}  // namespace

std::string random_token() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) std::abort();
  return hex_of(bytes);
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool allows(const Scopes& scopes, Scope wanted) {
  if (scopes.contains(Scope::admin)) return true;
  return wanted == Scope::read ? !scopes.empty() : scopes.contains(wanted);
}

Result<Scopes> scopes_from(std::string_view names) {
  Scopes scopes;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    const auto scope = enum_named<Scope>(name);
    if (!scope) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("'{}' is no scope; there are read, answer, run and admin", name));
    }
    scopes.insert(*scope);
  }
  if (scopes.empty()) {
    return fail(ErrorCode::invalid_argument, "A token needs a scope: read, answer, run or admin");
  }
  return scopes;
}

std::string scope_names(const Scopes& scopes) {
  std::string text;
  for (const Scope scope : scopes)
    text += (text.empty() ? "" : ",") + std::string(enum_name(scope));
  return text;
}

Tokens::Tokens(std::filesystem::path file) : file_(std::move(file)) {}

Result<void> Tokens::read() {
  std::error_code error;
  const auto changed_at = std::filesystem::last_write_time(file_, error);
  const std::uintmax_t size = error ? 0 : std::filesystem::file_size(file_, error);
  if (error) {  // there is none
    records_.clear();
    others_.clear();
    read_at_.reset();
    return {};
  }
  if (auto mode = check_mode(file_); !mode) {
    records_.clear();
    read_at_.reset();
    return mode;
  }
  if (read_at_ == changed_at && read_size_ == size) return {};
  records_.clear();
  others_.clear();
  std::ifstream stream(file_, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  const auto json = parse_json(std::move(text).str());
  const JsonArray* array = json ? json->if_array() : nullptr;
  if (!stream || array == nullptr) {
    read_at_.reset();
    return fail(ErrorCode::storage,
                fmt::format("{} cannot be read: no token is accepted", file_.string()));
  }
  for (const Json& each : *array) {
    if (auto record = record_from(each)) {
      records_.push_back(std::move(*record));
    } else {
      others_.push_back(each);
    }
  }
  read_at_ = changed_at;
  read_size_ = size;
  return {};
}

Result<void> Tokens::write(const std::vector<TokenRecord>& records) {
  JsonArray array;
  for (const TokenRecord& record : records) array.push_back(to_json(record));
  for (const Json& other : others_) array.push_back(other);
  const std::string text = to_pretty_text(Json(std::move(array))) + "\n";
  std::error_code error;
  std::filesystem::create_directories(file_.parent_path(), error);
  const std::string beside = fmt::format("{}.{}", file_.string(), ::getpid());
  {
    const FileDescriptor file(
        ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const bool is_written =
        file.is_open() &&
        ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
        ::fsync(file.get()) == 0;
    if (!is_written) {
      ::unlink(beside.c_str());
      return fail(ErrorCode::storage, fmt::format("Cannot write {}", file_.string()));
    }
  }
  if (::rename(beside.c_str(), file_.c_str()) != 0) {
    ::unlink(beside.c_str());
    return fail(ErrorCode::storage, fmt::format("Cannot write {}", file_.string()));
  }
  read_at_.reset();
  return read();
}

Result<std::vector<TokenRecord>> Tokens::list() {
  const std::lock_guard lock(mutex_);
  TRY(read());
  return records_;
}

Result<void> Tokens::change(const std::function<Result<void>(std::vector<TokenRecord>&)>& with) {
  std::error_code ignored;
  std::filesystem::create_directories(file_.parent_path(), ignored);
  const std::string beside = file_.string() + ".lock";
  const FileDescriptor lock(
      ::open(beside.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
  int locked = -1;
  do {
    locked = ::flock(lock.get(), LOCK_EX);
  } while (locked != 0 && errno == EINTR);
  if (locked != 0) {
    return fail(ErrorCode::storage,
                fmt::format("Cannot lock {}: check who may write there", beside));
  }
  read_at_.reset();
  TRY(read());
  std::vector<TokenRecord> records = records_;
  TRY(with(records));
  return write(records);
}

Result<std::string> Tokens::add(std::string_view name, Scopes scopes, std::int64_t now_ms,
                                std::optional<std::string> tenant) {
  if (tenant) {
    if (tenant->empty()) return fail(ErrorCode::invalid_argument, "The tenant needs a name");
    TRY(store::check_tenant(*tenant));
  }
  const bool is_plain = is_valid_utf8(name) && std::ranges::none_of(name, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F;
  });
  if (name.empty() || !is_plain) {
    return fail(ErrorCode::invalid_argument, "A token's name is a plain word or two");
  }
  const std::lock_guard lock(mutex_);
  std::string token = "wright_" + random_token();
  TRY(change([&](std::vector<TokenRecord>& records) -> Result<void> {
    if (std::ranges::find(records, name, &TokenRecord::name) != records.end() ||
        std::ranges::find(others_, name, name_in) != others_.end()) {
      return fail(ErrorCode::already_exists,
                  fmt::format("There is a token of the name '{}' already", name));
    }
    records.push_back(
        {std::string(name), std::move(scopes), sha256_hex(token), now_ms, std::move(tenant)});
    return {};
  }));
  return token;
}

Result<void> Tokens::remove(std::string_view name) {
  const std::lock_guard lock(mutex_);
  return change([&](std::vector<TokenRecord>& records) -> Result<void> {
    const auto removed =
        std::erase_if(records, [&](const TokenRecord& each) { return each.name == name; }) +
        std::erase_if(others_, [&](const Json& each) { return name_in(each) == name; });
    if (removed == 0) {
      return fail(ErrorCode::not_found, fmt::format("There is no token of the name '{}'", name));
    }
    return {};
  });
}

std::optional<Tokens::Known> Tokens::find(std::string_view token) {
  const std::string hash = sha256_hex(token);
  const std::lock_guard lock(mutex_);
  (void)read();  // without the file nobody is known
  std::optional<Known> known;
  const auto look_at = [&](const TokenRecord& record) {
    if (equal_in_constant_time(record.hash, hash)) {
      known = Known{record.name, record.scopes, record.hash, record.tenant};
    }
  };
  for (const TokenRecord& record : records_) look_at(record);
  for (const TokenRecord& record : of_process_) look_at(record);
  return known;
}

bool Tokens::is_still(const Known& known) {
  const std::lock_guard lock(mutex_);
  (void)read();
  const auto is_meant = [&](const TokenRecord& record) {
    return record.hash == known.hash && record.scopes == known.scopes &&
           record.tenant == known.tenant;
  };
  return std::ranges::any_of(records_, is_meant) || std::ranges::any_of(of_process_, is_meant);
}

std::string Tokens::make_code() {
  std::string code = random_token();
  const std::lock_guard lock(mutex_);
  codes_.insert(sha256_hex(code));
  return code;
}

std::optional<std::string> Tokens::redeem(std::string_view code) {
  const std::lock_guard lock(mutex_);
  if (codes_.erase(sha256_hex(code)) == 0) return std::nullopt;
  std::string token = "wright_" + random_token();
  of_process_.push_back({"browser", {Scope::admin}, sha256_hex(token), 0, {}});
  return token;
}

}  // namespace wright::server
