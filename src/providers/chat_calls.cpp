#include "providers/chat_calls.h"

#include "providers/response_json.h"

namespace wright::providers {
namespace {

std::optional<std::int64_t> index_in(const Json* index) {
  if (index == nullptr || !index->is_number()) return {};
  return count_in(index);
}

// Most deltas end inside the arguments; only a bracket at the end can complete them.
bool is_complete(const std::string& arguments) {
  return arguments.ends_with('}') && parse_json(arguments).has_value();
}

// The arguments are text, but some servers send the object itself.
void add_arguments(const Json* arguments, std::size_t number, ResponseBuilder& answer) {
  if (arguments == nullptr) return;
  std::string& known = answer.call(number).arguments;
  if (!arguments->is_string()) {
    if (known.empty()) answer.add_arguments(number, to_text(*arguments));
    return;
  }
  const std::string_view piece = text_in(arguments);
  // An empty object followed by another was a placeholder.
  if (known == "{}" && piece.starts_with('{')) known.clear();
  answer.add_arguments(number, piece);
}

void add_name(std::string_view name, ToolCall& call) {
  if (name != call.name) call.name += valid_text(name);  // not a repetition, so it is the rest
}

}  // namespace

void ChatCalls::add(const Json& call, ResponseBuilder& answer) {
  const auto [id, function] = fields<2>(&call, {"id", "function"});
  const auto [name, arguments] = fields<2>(function, {"name", "arguments"});
  add_arguments(arguments, answer.add_call(text_in(id), text_in(name)), answer);
}

// The call that a delta continues: by its index, else by its id, else the last one. It begins a new
// call, though, when it names a function and either has a different id or follows complete
// arguments.
std::optional<std::size_t> ChatCalls::find(std::optional<std::int64_t> index, std::string_view id,
                                           std::string_view name, ResponseBuilder& answer) const {
  std::optional<std::size_t> found;
  if (index) {
    const auto known = by_index_.find(*index);
    if (known == by_index_.end()) return {};
    found = known->second;
  } else if (!id.empty()) {
    for (std::size_t i = 0; i < answer.call_count(); ++i) {
      if (answer.call(i).id == id) return i;
    }
    if (!name.empty()) return {};
  }
  if (!found && answer.call_count() > 0) found = answer.call_count() - 1;
  if (!found || name.empty()) return found;
  const ToolCall& call = answer.call(*found);
  if (!id.empty() && !call.id.empty()) return id == call.id ? found : std::nullopt;
  return is_complete(call.arguments) ? std::nullopt : found;
}

void ChatCalls::merge(const Json& delta, ResponseBuilder& answer) {
  const auto [index_field, id_field, function] = fields<3>(&delta, {"index", "id", "function"});
  const auto [name_field, arguments] = fields<2>(function, {"name", "arguments"});
  const auto index = index_in(index_field);
  const std::string_view id = text_in(id_field);
  const std::string_view name = text_in(name_field);
  auto number = find(index, id, name, answer);
  if (number) {
    ToolCall& call = answer.call(*number);
    if (call.id.empty()) call.id = valid_text(id);
    add_name(name, call);
  } else {
    number = answer.add_call(id, name);
  }
  if (index) by_index_[*index] = *number;
  add_arguments(arguments, *number, answer);
}

void ChatCalls::merge_legacy(const Json& function, ResponseBuilder& answer) {
  const auto [name_field, arguments] = fields<2>(&function, {"name", "arguments"});
  const std::string_view name = text_in(name_field);
  if (answer.call_count() == 0) {
    if (name.empty()) return;  // servers that write every field write an empty one
    answer.add_call({}, name);
  } else {
    add_name(name, answer.call(0));
  }
  add_arguments(arguments, 0, answer);
}

}  // namespace wright::providers
