#include "providers/sent_history.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <functional>
#include <utility>

#include "core/fingerprint.h"
#include "core/json_escape.h"
#include "core/json_storage.h"
#include "core/text.h"
#include "wright/tool.h"

namespace wright::providers {
namespace {

bool is_pause(const Part& part) {
  const auto* told = std::get_if<Notice>(&part);
  return told != nullptr && told->kind == Notice::Kind::turn_paused;
}

bool has_words(const Part& part) {
  const std::string* words = words_in(part);
  return words != nullptr && !is_blank(*words);
}

// Whether every protocol writes this message of the model, and nothing of it belongs to a message
// before.
bool begins_turn(const Message& message) {
  if (message.role != Role::assistant) return false;
  const auto says = [](const Part& part) {
    return std::holds_alternative<ToolCall>(part) ||
           (std::holds_alternative<Text>(part) && has_words(part));
  };
  return std::ranges::any_of(message.parts, says) &&
         std::ranges::none_of(message.parts, [](const Part& part) {
           return std::holds_alternative<ToolResult>(part) || is_pause(part);
         });
}

// Whether every protocol ends the user's turn with this message, unless another of the user's
// follows.
bool ends_turn(const Message& message) {
  if (message.role != Role::user && message.role != Role::tool) return false;
  const auto says = [](const Part& part) {
    return std::holds_alternative<ToolResult>(part) || std::holds_alternative<Image>(part) ||
           has_words(part);
  };
  return std::ranges::any_of(message.parts, says) && std::ranges::none_of(message.parts, is_pause);
}

// What is decided by the whole conversation: instructions in its midst, and what vendors' own tools
// did, which may go on in a later turn.
bool depends_on_others(const Message& message) {
  if (message.role == Role::system) return true;
  return std::ranges::any_of(message.parts, [](const Part& part) {
    const auto* reasoning = std::get_if<Reasoning>(&part);
    return reasoning != nullptr &&
           (reasoning->opaque.contains("_tool_") || reasoning->opaque.contains("container"));
  });
}

// Without tools, vendors want those described that the whole conversation speaks of.
bool may_be_kept(const Request& request) {
  return request.memory != nullptr && !request.messages.empty() && !request.tools.empty() &&
         request.tool_choice().kind != ToolChoice::Kind::none &&
         request.sampling->vendor_tools.empty();
}

std::uint64_t fingerprint_of_tools(std::span<const Tool> tools) {
  std::uint64_t sum = tools.size();
  for (const Tool& tool : tools) {
    sum = joined(sum, fingerprint_of(tool.spec.name));
    sum = joined(sum, fingerprint_of(tool.spec.description));
    sum = joined(sum, fingerprint_of(tool.spec.parameters));
  }
  return sum;
}

std::uint64_t fingerprint_of_messages(std::span<const Message> messages) {
  std::uint64_t sum = 0;
  for (const Message& message : messages) sum = joined(sum, fingerprint_of(message));
  return sum;
}

void append_joined(std::string& out, const WrittenMember& member) {
  out += member.open;
  out += member.first;
  if (!member.first.empty() && !member.rest.empty()) out += ',';
  out += member.rest;
  out += member.close;
}

}  // namespace

bool SentHistory::may_continue(const Endpoint& endpoint, const Request& request) const {
  return protocol_ == endpoint.protocol() && vendor_ == endpoint.vendor.name &&
         model_ == endpoint.model.name && quirks_ == endpoint.model.quirks &&
         choice_ == request.tool_choice() && messages_ < request.messages.size() &&
         begins_turn(request.messages[messages_]);
}

bool SentHistory::is_beginning_of(const Request& request) const {
  return tools_fingerprint_ == fingerprint_of_tools(request.tools) &&
         fingerprint_ == fingerprint_of_messages(request.messages.first(messages_));
}

std::unique_ptr<SentHistory> SentHistory::continued(const Endpoint& endpoint,
                                                    const Request& request) {
  if (!may_be_kept(request)) return nullptr;
  auto kept = request.memory->take();
  auto* history = dynamic_cast<SentHistory*>(kept.get());
  const bool goes_on = history != nullptr && history->is_continued_by(request);
  if (goes_on && !history->is_of_others_ && history->may_continue(endpoint, request)) {
    (void)kept.release();
    return std::unique_ptr<SentHistory>(history);
  }
  if (kept != nullptr) request.memory->keep(std::move(kept));
  return nullptr;
}

std::unique_ptr<SentHistory> SentHistory::recalled(const Endpoint& endpoint,
                                                   const Request& request) {
  auto made = std::make_unique<SentHistory>();
  if (!may_be_kept(request)) return made;
  if (auto kept = request.memory->take()) {
    auto* history = dynamic_cast<SentHistory*>(kept.get());
    if (history != nullptr && history->may_continue(endpoint, request) &&
        history->is_beginning_of(request)) {
      (void)kept.release();
      return std::unique_ptr<SentHistory>(history);
    }
  }
  made->texts_ = endpoint.texts;
  made->protocol_ = endpoint.protocol();
  made->vendor_ = endpoint.vendor.name;
  made->model_ = endpoint.model.name;
  made->quirks_ = endpoint.model.quirks;
  made->choice_ = request.tool_choice();
  made->tools_fingerprint_ = fingerprint_of_tools(request.tools);
  return made;
}

void SentHistory::keep(std::unique_ptr<SentHistory> history, const Request& request) {
  if (!may_be_kept(request) || !ends_turn(request.messages.back())) return;
  const auto added = history->new_messages(request);
  if (std::ranges::any_of(added, depends_on_others)) return;
  for (const Message& message : added) {
    history->fingerprint_ = joined(history->fingerprint_, fingerprint_of(message));
  }
  history->messages_ = request.messages.size();
  history->forget_continuation();
  request.memory->keep(std::move(history));
}

std::shared_ptr<const std::string> SentHistory::shared(std::string text) const {
  return texts_ != nullptr ? texts_->share(std::move(text))
                           : std::make_shared<const std::string>(std::move(text));
}

void SentHistory::start_over() {
  messages_ = named_ = wire_messages_ = 0;
  fingerprint_ = 0;
  text_.clear();
  ends_of_user_ = {};
  names_.reset();
  ids_.reset();
  documents = 0;
  ends_with_result = false;
}

const ToolNames& SentHistory::names(const Request& request, const ToolNameRule& rule) {
  if (!names_) {
    names_.emplace(request, rule);
  } else {
    names_->add(request.messages.subspan(named_));
  }
  named_ = request.messages.size();
  return *names_;
}

void SentHistory::add(const Json& message) {
  append_text(next_message(), message);
}

void SentHistory::add(const JsonArray& messages) {
  for (const Json& message : messages) add(message);
}

void SentHistory::add_of_user(const Json& message, bool may_be_marked) {
  add(message);
  ends_of_user_ = {MarkedEnd{text_.size(), may_be_marked}, ends_of_user_.front()};
}

std::string SentHistory::text_with_marks(std::string_view mark, std::size_t bytes_from_end) const {
  std::string marked;
  marked.reserve(text_.size() + 2 * mark.size());
  std::size_t copied = 0;
  for (const MarkedEnd& end : {ends_of_user_[1], ends_of_user_[0]}) {
    if (!end.may_be_marked) continue;
    const std::size_t at = end.at - bytes_from_end;
    marked.append(text_, copied, at - copied);
    marked += mark;
    copied = at;
  }
  marked.append(text_, copied);
  return marked;
}

std::string body_text(const JsonObject& body, std::span<const WrittenMember> written) {
  std::size_t bytes = 512;
  for (const WrittenMember& member : written) bytes += member.first.size() + member.rest.size();
  std::string text;
  text.reserve(bytes);
  char before = '{';
  for (const auto& [key, value] : body) {
    text += std::exchange(before, ',');
    text += '"';
    append_escaped(text, key, EscapeDelete::no);
    text += "\":";
    const auto member = std::ranges::find(written, std::string_view(key), &WrittenMember::name);
    if (member != written.end()) {
      append_joined(text, *member);
    } else {
      append_text(text, value);
    }
  }
  if (before == '{') text += '{';
  text += '}';
  return text;
}

}  // namespace wright::providers

namespace wright {

std::shared_ptr<const std::string> SharedTexts::share(std::string text) {
  constexpr std::size_t kUsual = 64;  // more than these are looked through for those that are gone
  const std::size_t hash = std::hash<std::string>()(text);
  const std::lock_guard lock(mutex_);
  if (texts_.size() > kUsual) {
    std::erase_if(texts_, [](const auto& each) { return each.second.expired(); });
  }
  std::weak_ptr<const std::string>& known = texts_[hash];
  if (auto same = known.lock(); same != nullptr && *same == text) return same;
  auto kept = std::make_shared<const std::string>(std::move(text));
  known = kept;
  return kept;
}

}  // namespace wright
