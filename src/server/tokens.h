// Who may use the server: tokens with scopes, of which only hashes are kept, and one-time codes for
// a browser.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.h"
#include "wright/error.h"

namespace wright::server {

enum class Scope : std::uint8_t {
  read,    // look at everything
  answer,  // answer and settle what waits for a person
  run,     // begin, continue and cancel sessions
  admin,   // delete, and all of the above
};
WRIGHT_ENUM(Scope, read, answer, run, admin)

using Scopes = std::set<Scope>;

// `admin` stands for all; every scope may read.
bool allows(const Scopes& scopes, Scope wanted);
Result<Scopes> scopes_from(std::string_view names);  // "read,answer"
std::string scope_names(const Scopes& scopes);

struct TokenRecord {
  std::string name = {};
  Scopes scopes = {};
  std::string hash = {};        // SHA-256 of the token, in hex
  std::int64_t created_at = 0;  // milliseconds since 1970
  // It may see, answer and begin sessions of this tenant alone; absent: of all.
  std::optional<std::string> tenant = {};
};

// The file is read again whenever it has changed, so that a removed token is refused at once.
// Thread-safe. Several processes may use one file: whoever changes it holds a lock (on a file
// beside it, .lock) from reading to writing, and writes it whole.
class Tokens {
 public:
  explicit Tokens(std::filesystem::path file);

  Result<std::vector<TokenRecord>> list();
  // The token itself, which nobody can find out later.
  Result<std::string> add(std::string_view name, Scopes scopes, std::int64_t now_ms,
                          std::optional<std::string> tenant = {});
  Result<void> remove(std::string_view name);

  struct Known {
    std::string name;
    Scopes scopes;
    std::string hash;
    std::optional<std::string> tenant;
  };
  // Takes the same time whatever is wrong with the token.
  std::optional<Known> find(std::string_view token);

  // Whether the token with that hash is still known, and may do what it could.
  bool is_still(const Known& known);

  // A code that can be exchanged once for a token of this process, which has all scopes.
  std::string make_code();
  std::optional<std::string> redeem(std::string_view code);

 private:
  Result<void> read();  // with the mutex held
  // With the mutex held: reads, changes, writes, while no other process does.
  Result<void> change(const std::function<Result<void>(std::vector<TokenRecord>&)>& with);
  Result<void> write(const std::vector<TokenRecord>& records);

  const std::filesystem::path file_;
  std::mutex mutex_;
  std::vector<TokenRecord> records_;
  std::vector<Json> others_;  // that a newer version wrote: kept, and not accepted
  std::optional<std::filesystem::file_time_type> read_at_;
  std::uintmax_t read_size_ = 0;
  std::set<std::string> codes_;          // hashes
  std::vector<TokenRecord> of_process_;  // that codes were exchanged for
};

std::string random_token();  // 256 bits
// In a time that depends on the lengths alone.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace wright::server
