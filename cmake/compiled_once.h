// What most files do with texts, numbers, lists and the types of the public headers. What the
// compiler makes of that goes into the headers that are compiled once (Precompiled.cmake), and not
// into every object again. For the build alone: nothing includes it.
#pragma once

#include "wright/wright.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace wright::compiled_once {

template <class T>
void copies_and_lists(T& one, const T& other) {
  T copy(other);
  T moved(std::move(copy));
  one = other;
  one = std::move(moved);
  std::optional<T> maybe = other;
  std::optional<T> maybe_copy(maybe);
  maybe_copy = std::move(maybe);
  maybe_copy = other;
  std::vector<T> list{other};
  std::vector<T> list_copy(list);
  list.push_back(other);
  list.push_back(std::move(one));
  list.emplace_back(other);
  list.emplace_back(std::move(copy));
  list.insert(list.end(), list_copy.begin(), list_copy.end());
  list.reserve(list.size());
  list.erase(list.begin());
  list = list_copy;
  list = std::move(list_copy);
  Result<T> result = other;
  Result<T> result_copy(result);
  result_copy = std::move(result);
  Result<T> failed = std::unexpected(Error());
  Result<std::vector<T>> lists = std::move(list);
  Result<std::vector<T>> lists_moved = std::move(lists);
}

template <class Table, class Key, class Value>
void table(const Key& key, const Value& value) {
  Table table;
  table[key] = value;
  table.emplace(key, value);
  table.insert_or_assign(key, value);
  table.try_emplace(key, value);
  Table copy(table);
  Table moved(std::move(copy));
  copy = table;
  copy = std::move(moved);
  const Table& fixed = table;
  if (fixed.find(key) != fixed.end() && fixed.contains(key) && table.find(key) != table.end()) {
    table.erase(key);
  }
  for (auto& [one, other] : table) other = value;
  for (const auto& [one, other] : fixed) copy.emplace(one, other);
}

template <class T>
void numbers(T number) {
  const std::string_view text = "1";
  std::from_chars(text.data(), text.data() + text.size(), number);
  (void)fmt::format("{:>3} {:02}", number, number);
}

template <class... Types>
struct Each {
  static void use(Types&... values) { (copies_and_lists(values, values), ...); }
  static void read() { (numbers(Types()), ...); }
};

// Every kind of value after each other, as fmt sees them: by reference, and constant or not.
template <class... Types>
struct Formatted {
  static void one(Types... values) { ((void)fmt::format("{}", values), ...); }
  static void two(Types... values) { (with(values, values...), ...); }
  static void three(Types... values) { (pairs_with(values, values...), ...); }
  template <class A, class... Others>
  static void with(A& a, Others&... others) {
    ((void)fmt::format("{}{}", a, others), ...);
  }
  template <class A, class... Others>
  static void pairs_with(A& a, Others&... others) {
    (triples_with(a, others, others...), ...);
  }
  template <class A, class B, class... Others>
  static void triples_with(A& a, B& b, Others&... others) {
    ((void)fmt::format("{}{}{}", a, b, others), ...);
  }
};

inline void texts(std::string& text, std::string_view view, std::vector<std::string>& list) {
  text = text + "a" + text + std::string(view) + 'c';
  text = "a" + text;
  text = std::move(text) + text;
  text += view;
  text.append(view).append(2, 'c');
  text.insert(0, "a");
  text.erase(0, 1);
  text.replace(0, 1, "a");
  if (text == view || text < list.front() || view.starts_with("a") || view.ends_with('c') ||
      text.starts_with(view) || view.contains('c') || view == "a" || text != "a") {
    view = view.substr(view.find('c') + view.find("a") + view.rfind('c') +
                       view.find_first_of("ab") + view.find_first_not_of(" ") +
                       view.find_last_not_of(" ") + text.find("a") + text.find('c'));
  }
  std::ranges::sort(list);
  list = {text, "a"};
  list.emplace_back(view);
  list.emplace_back("a");
  list.resize(2);
  if (std::ranges::find(list, text) != list.end() && std::ranges::count(list, view) > 0) {
    text = fmt::format("{}{}", fmt::join(list, ", "), fmt::join(std::as_const(list), ", "));
  }
  fmt::format_to(std::back_inserter(text), "{}{}{}", text, view, list.size());
  std::optional<std::string> maybe = std::string(view);
  text = maybe.value_or("") + maybe.value_or(std::string());
  std::set<std::string> names(list.begin(), list.end());
  names.insert(text);
  names.emplace(view);
  if (names.contains(text)) names.erase(text);
  std::set<std::string> same(names);
  same = std::move(names);
  std::filesystem::path path = std::filesystem::path(text) / view / "a";
  text = path.string() + path.filename().string() + path.parent_path().string();
}

inline void json(Json& value, const std::string& text, std::string_view view) {
  value = {{"a", text}, {"b", view}, {"c", 1}, {"d", true}, {"e", nullptr}};
  value = JsonObject{{"a", JsonArray{text, view, 1, 1.0, true}}};
  JsonObject object;
  object["a"] = text;
  object["a"] = view;
  object["a"] = std::int64_t(1);
  object.emplace("a", text);
  object.emplace("a", view);
  object.emplace("a", std::move(value));
  object.insert_or_assign("a", text);
  JsonArray array;
  array.emplace_back(text);
  array.emplace_back(view);
  array.emplace_back(object);
  array.push_back(std::move(object));
  value = std::move(array);
}

inline void hand_overs(std::mutex& mutex, std::function<void()> function) {
  const std::lock_guard lock(mutex);
  std::unique_lock other(mutex);
  std::function<void()> copy(function);
  copy = std::move(function);
  auto shared = std::make_shared<std::string>("a");
  std::shared_ptr<const std::string> same = shared;
  auto one = std::make_unique<std::string>("a");
  const auto now = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  if (now < std::chrono::steady_clock::now() + std::chrono::seconds(1)) copy();
}

// Written out, so that it belongs to the compiled header.
inline constexpr auto kCopied =
    &Each<Agent, Batch, Error, Message, Part, Session, Step, StoredCall, StoredMessage, StoredWait,
          Tool, ToolCall, ToolReply, ToolResult, Write, Json, std::string, std::filesystem::path,
          std::pair<std::string, std::string>>::use;
inline constexpr auto kNumbers = &Each<int, unsigned, long, unsigned long, double>::read;
inline constexpr auto kFormattedAlone =
    &Formatted<std::string&, const std::string&, std::string_view&, const std::string_view&, int&,
               const int&, long&, const long&, unsigned long&, const unsigned long&, double&>::one;
inline constexpr auto kFormattedInPairs =
    &Formatted<std::string&, const std::string&, std::string_view&, const std::string_view&, int&,
               long&, unsigned long&, const unsigned long&>::two;
inline constexpr auto kFormattedInThrees =
    &Formatted<std::string&, const std::string&, std::string_view&, unsigned long&>::three;
inline constexpr auto kTables = std::tuple(
    &table<std::map<std::string, std::string>, std::string, std::string>,
    &table<std::map<std::string, Json>, std::string, Json>,
    &table<std::map<std::string, std::size_t>, std::string, std::size_t>,
    &table<std::map<std::string, std::vector<std::string>>, std::string, std::vector<std::string>>);

}  // namespace wright::compiled_once
