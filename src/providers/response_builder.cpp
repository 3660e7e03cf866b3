#include "providers/response_builder.h"

#include <algorithm>

#include "providers/response_json.h"

namespace wright::providers {
namespace {

bool holds_nothing(const Part& part) {
  if (const auto* text = std::get_if<Text>(&part)) return text->text.empty();
  if (const auto* reasoning = std::get_if<Reasoning>(&part)) {
    return reasoning->text.empty() && reasoning->opaque.empty();
  }
  return false;
}

}  // namespace

void ResponseBuilder::end_part() {
  if (!std::exchange(continues_, false)) return;
  Part& last = response_.content.back();
  if (auto* reasoning = std::get_if<Reasoning>(&last)) joiner_.finish(reasoning->text);
  if (auto* text = std::get_if<Text>(&last)) {
    const std::size_t known = text->text.size();
    joiner_.finish(text->text);
    const bool is_heard = listener_ != nullptr && *listener_ && text->text.size() > known;
    if (is_heard) (*listener_)({std::string_view(text->text).substr(known), told_});
  }
}

template <class PartType>
std::string& ResponseBuilder::text_of_last() {
  if (!continues_ || !std::holds_alternative<PartType>(response_.content.back())) {
    end_part();
    response_.content.emplace_back(PartType{});
    continues_ = true;
  }
  return std::get<PartType>(response_.content.back()).text;
}

// The blank line that Response::text() has before a text that begins now.
bool ResponseBuilder::begins_apart() const {
  if (continues_ && std::holds_alternative<Text>(response_.content.back())) return false;
  for (auto part = response_.content.rbegin(); part != response_.content.rend(); ++part) {
    const auto* before = std::get_if<Text>(&*part);
    if (before == nullptr || before->text.empty()) continue;
    return before->phase != Text::Phase::unmarked || phase_ != Text::Phase::unmarked;
  }
  return false;
}

void ResponseBuilder::set_phase_of_last(Text::Phase phase) {
  Text* last = nullptr;
  for (auto part = response_.content.rbegin(); part != response_.content.rend(); ++part) {
    auto* text = std::get_if<Text>(&*part);
    if (text == nullptr || text->text.empty()) continue;
    if (last == nullptr) {
      last = text;
      continue;
    }
    // No blank line was said between the two, so there must not be one now.
    const bool were_joined =
        text->phase == Text::Phase::unmarked && last->phase == Text::Phase::unmarked;
    if (were_joined) return;
    break;
  }
  if (last != nullptr) last->phase = phase;
}

void ResponseBuilder::add_text(std::string_view piece, const TextSink& on_text) {
  if (piece.empty()) return;
  bytes_ += piece.size();
  if (begins_apart()) {
    end_part();  // what was held back comes first
    if (on_text) on_text({std::string_view("\n\n"), told_});
  }
  const bool is_new = !continues_ || !std::holds_alternative<Text>(response_.content.back());
  std::string& text = text_of_last<Text>();
  if (is_new) std::get<Text>(response_.content.back()).phase = told_ = phase_;
  const std::size_t known = text.size();
  joiner_.append(text, piece);
  if (on_text && text.size() > known) on_text({std::string_view(text).substr(known), told_});
}

void ResponseBuilder::cite(Citation source) {
  if (source == Citation{}) return;
  const bool is_new = !continues_ || !std::holds_alternative<Text>(response_.content.back());
  text_of_last<Text>();
  auto& text = std::get<Text>(response_.content.back());
  if (is_new) text.phase = told_ = phase_;
  text.citations.push_back(std::move(source));
}

void ResponseBuilder::cite_last(Citation source) {
  if (source == Citation{}) return;
  if (Text* text = last_text()) text->citations.push_back(std::move(source));
}

// What the text itself cites need not be said again.
void ResponseBuilder::add_sources() {
  const std::vector<Citation> sources = std::exchange(sources_, {});
  Text* text = last_text();
  for (std::size_t i = 0; text != nullptr && i < sources.size(); ++i) {
    const bool is_cited = std::ranges::any_of(text->citations, [&](const Citation& known) {
      return known.url == sources[i].url && known.title == sources[i].title;
    });
    if (!is_cited) text->citations.push_back(sources[i]);
  }
}

Text* ResponseBuilder::last_text() {
  for (auto part = response_.content.rbegin(); part != response_.content.rend(); ++part) {
    auto* text = std::get_if<Text>(&*part);
    if (text != nullptr && !text->text.empty()) return text;
  }
  return nullptr;
}

void ResponseBuilder::add_reasoning(std::string_view piece) {
  if (piece.empty()) return;
  bytes_ += piece.size();
  joiner_.append(text_of_last<Reasoning>(), piece);
}

Reasoning& ResponseBuilder::reasoning() {
  text_of_last<Reasoning>();
  return std::get<Reasoning>(response_.content.back());
}

std::size_t ResponseBuilder::add_call(std::string_view id, std::string_view name) {
  end_part();
  response_.content.emplace_back(ToolCall{valid_text(id), valid_text(name), {}});
  calls_.push_back({response_.content.size() - 1, {}});
  return calls_.size() - 1;
}

ToolCall& ResponseBuilder::call(std::size_t number) {
  return std::get<ToolCall>(response_.content[calls_[number].part]);
}

void ResponseBuilder::add_arguments(std::size_t number, std::string_view piece) {
  bytes_ += piece.size();
  calls_[number].joiner.append(call(number).arguments, piece);
}

void ResponseBuilder::drop_arguments(std::size_t number) {
  calls_[number].joiner = {};
  call(number).arguments.clear();
}

void ResponseBuilder::set_model(std::string_view name) {
  if (response_.model.empty() && !name.empty()) response_.model = valid_text(name);
}

void ResponseBuilder::set_id(std::string_view id) {
  constexpr std::size_t kLongest = 200;
  if (response_.id.empty() && id.size() <= kLongest) response_.id = valid_text(id);
}

void ResponseBuilder::replace_content(ResponseBuilder other) {
  bytes_ = other.bytes_;
  response_.content = std::move(other.response_.content);
  joiner_ = std::move(other.joiner_);
  continues_ = other.continues_;
  calls_ = std::move(other.calls_);
  if (!other.sources_.empty()) sources_ = std::move(other.sources_);
}

Response ResponseBuilder::take(StopReason reason, const ModelInfo& model) {
  end_part();
  for (std::size_t i = 0; i < calls_.size(); ++i) calls_[i].joiner.finish(call(i).arguments);
  calls_.clear();
  std::erase_if(response_.content, holds_nothing);
  add_sources();
  response_.stop_reason = reason;
  if (response_.usage.cost_usd == 0 && model.price) {
    response_.usage.cost_usd = cost_usd(*model.price, response_.usage);
  }
  return std::exchange(response_, {});
}

}  // namespace wright::providers
