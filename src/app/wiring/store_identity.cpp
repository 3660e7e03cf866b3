#include "app/wiring/store_identity.h"

#include <memory>
#include <utility>

#include "app/wiring/session_store.h"
#include "core/try.h"
#include "server/tokens.h"

namespace wright::app {
namespace {

constexpr const char* kIdentityKind = "store";
constexpr const char* kIdentityKey = "identity";

}  // namespace

Result<std::string> find_store_identity(Store& store) {
  const auto found =
      TRY(store.get_records({.kind = kIdentityKind, .key = kIdentityKey, .limit = 1}));
  if (found.empty() || !found.front().value.is_string()) return std::string();
  return std::string(found.front().value.get_string());
}

Result<std::string> store_identity(Store& store) {
  std::string known = TRY(find_store_identity(store));
  if (!known.empty()) return known;
  std::string made = server::random_token();
  auto put =
      store.apply_one(PutRecord{.kind = kIdentityKind, .key = kIdentityKey, .value = Json(made)});
  if (put) return made;
  // Somebody else was quicker.
  if (put.error().code == ErrorCode::already_exists) return find_store_identity(store);
  return std::unexpected(std::move(put).error());
}

std::function<std::string()> identity_of_store(Settings settings) {
  return [settings = std::make_shared<const Settings>(std::move(settings))]() -> std::string {
    const auto store = open_existing_store(*settings);
    if (!store || *store == nullptr) return {};
    return store_identity(**store).value_or("");
  };
}

}  // namespace wright::app
