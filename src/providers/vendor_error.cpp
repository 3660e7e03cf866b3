#include "providers/vendor_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/text.h"
#include "providers/response_json.h"
#include "providers/retry_after.h"

namespace wright::providers {
namespace {

constexpr std::size_t kReadOfBody = 64 << 10;  // enough for any error message

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string code_text(const Json* value) {
  if (value == nullptr) return {};
  if (value->is_string()) return valid_text(value->get_string());
  return value->is_number() ? to_text(*value) : std::string();
}

// A code in words says more than a number, and a specific one more than "invalid_request_error".
std::string best_code(const Json* error) {
  std::string best;
  for (const std::string_view key : {"code", "status", "type", "error_type"}) {
    std::string code = code_text(field(error, key));
    if (code.empty() || code == "error") continue;
    if (best.empty() || (is_number(best) && !is_number(code))) best = std::move(code);
  }
  return best;
}

int status_in(const Json* error) {
  for (const std::string_view key : {"code", "status", "status_code"}) {
    const std::string text = code_text(field(error, key));
    int status = 0;
    if (is_number(text)) std::from_chars(text.data(), text.data() + text.size(), status);
    if (status >= 400 && status <= 599) return status;
  }
  return 0;
}

// FastAPI's [{"loc": […], "msg": "…"}].
std::string validation_words(const JsonArray& problems) {
  std::string words;
  for (const Json& problem : problems) {
    const std::string_view message = text_field(&problem, "msg");
    if (message.empty()) continue;
    if (!words.empty()) words += "; ";
    std::string place;
    if (const JsonArray* path = array_in(field(&problem, "loc"))) {
      for (const Json& step : *path) {
        if (!place.empty()) place += '.';
        place += code_text(&step);
      }
    }
    words += place.empty() ? valid_text(message) : fmt::format("{}: {}", place, message);
  }
  return valid_text(words);
}

std::string words_in(const Json* error) {
  for (const std::string_view key : {"message", "detail", "error", "msg", "error_description"}) {
    const Json* value = field(error, key);
    if (value == nullptr) continue;
    if (value->is_string() && !value->get_string().empty()) return valid_text(text_in(value));
    if (const JsonArray* problems = array_in(value)) {
      if (std::string words = validation_words(*problems); !words.empty()) return words;
    }
    if (value->is_object()) {
      if (std::string words = words_in(value); !words.empty()) return words;
    }
  }
  return {};
}

// What the vendor behind a gateway said: {"metadata": {"raw": "…", "provider_name": "…"}}.
std::string words_behind(const Json* error) {
  const Json* metadata = field(error, "metadata");
  const std::string_view raw = text_field(metadata, "raw");
  if (raw.empty()) return {};
  const VendorError inner = read_vendor_error(raw);
  const std::string_view name = text_field(metadata, "provider_name");
  const std::string words = inner.message.empty() ? valid_text(raw) : inner.message;
  return name.empty() ? words : fmt::format("{}: {}", valid_text(name), words);
}

std::optional<std::int64_t> retry_delay_in(const Json* error) {
  const JsonArray* details = array_in(field(error, "details"));
  if (details == nullptr) return {};
  for (const Json& detail : *details) {
    const std::string_view delay = text_field(&detail, "retryDelay");
    if (const auto duration = duration_ms(delay)) return duration;
  }
  return {};
}

// Only details[].reason says what is wrong with a key for Gemini.
std::string reason_in(const Json* error) {
  const JsonArray* details = array_in(field(error, "details"));
  if (details == nullptr) return {};
  for (const Json& detail : *details) {
    if (const auto reason = text_field(&detail, "reason"); !reason.empty()) {
      return valid_text(reason);
    }
  }
  return {};
}

// What OpenRouter's moderation objects to: {"metadata": {"reasons": ["violence"], …}}.
std::string reasons_in(const Json* error) {
  const JsonArray* reasons = array_in(field(field(error, "metadata"), "reasons"));
  std::string joined;
  for (std::size_t i = 0; reasons != nullptr && i < reasons->size(); ++i) {
    if (i > 0) joined += ", ";
    joined += valid_text(text_in(&(*reasons)[i]));
  }
  return joined;
}

VendorError error_of(const Json* document) {
  const Json* inner = field(document, "error");
  const Json* error = object_in(inner) != nullptr ? inner : document;
  VendorError read{.code = best_code(error),
                   .message = words_in(error),
                   .status = status_in(error),
                   .retry_after_ms = retry_delay_in(error)};
  if (std::string reason = reason_in(error); !reason.empty()) read.code = std::move(reason);
  if (const std::string behind = words_behind(error); !behind.empty()) {
    read.message = read.message.empty() ? behind : fmt::format("{} ({})", read.message, behind);
  }
  if (const std::string reasons = reasons_in(error); !reasons.empty()) {
    read.message += fmt::format(" ({})", reasons);
  }
  // Ollama's, for a model that runs elsewhere.
  if (const auto page = text_field(document, "signin_url"); !page.empty()) {
    read.message += fmt::format("; sign in at {}", valid_text(page));
  }
  return read;
}

std::string title_of_page(std::string_view page) {
  const std::string lowered = lower(page);
  for (const std::string_view name : {"title", "h1"}) {
    const std::size_t open = lowered.find(fmt::format("<{}", name));
    const std::size_t begin = lowered.find('>', std::min(open, lowered.size()));
    const std::size_t end =
        lowered.find(fmt::format("</{}", name), std::min(begin, lowered.size()));
    if (end == std::string::npos) continue;
    return valid_text(page.substr(begin + 1, end - begin - 1));
  }
  return {};
}

// How many bytes at the start of valid text drive a terminal, break the line or turn the direction
// of what follows: messages are read by people, and must be what they seem.
std::size_t length_of_control(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first <= ' ' || first == 0x7F) return 1;
  const std::string_view two = text.substr(0, 2);
  if (two >= "\xC2\x80" && two <= "\xC2\x9F") return 2;  // the control characters above ASCII
  if (two == "\xD8\x9C") return 2;                       // U+061C, a mark of direction
  const std::string_view three = text.substr(0, 3);
  const bool turns = three == "\xE2\x80\x8E" || three == "\xE2\x80\x8F" ||
                     (three >= "\xE2\x80\xA8" && three <= "\xE2\x80\xAE") ||
                     (three >= "\xE2\x81\xA6" && three <= "\xE2\x81\xA9");
  return turns && three.size() == 3 ? 3 : 0;
}

bool is_mostly_text(std::string_view text) {
  const auto strange = std::ranges::count_if(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < ' ' && c != '\n' && c != '\r' && c != '\t') || byte == 0x7F;
  });
  return is_valid_utf8(text) && static_cast<std::size_t>(strange) * 20 <= text.size();
}

VendorError read_plain(std::string_view body) {
  const std::size_t first = body.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  body.remove_prefix(first);
  if (body.starts_with('<')) return {.message = one_line(title_of_page(body))};
  // The error of a stream: events whose data is JSON.
  for (const std::string_view mark : {"data: {", "data:{"}) {
    const std::size_t data = body.find(mark);
    if (data == std::string_view::npos) continue;
    std::string_view line = body.substr(data + mark.size() - 1);
    line = line.substr(0, line.find_first_of("\r\n"));
    return read_vendor_error(line);
  }
  if (!is_mostly_text(body)) return {};
  return {.message = one_line(body)};
}

// MiniMax tells in every response whether something is wrong, also with status 200.
std::optional<VendorError> problem_in_base(const Json* base) {
  const std::int64_t code = count_field(base, "status_code");
  if (code == 0) return {};
  return VendorError{.code = fmt::format("{}", code),
                     .message = one_line(valid_text(text_field(base, "status_msg")))};
}

}  // namespace

std::string one_line(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const std::size_t control = length_of_control(text);
    if (control == 0) line += text[0];
    const bool is_blank = static_cast<unsigned char>(text[0]) <= ' ' || text[0] == '\x7F' ||
                          text.starts_with("\xE2\x80\xA8") || text.starts_with("\xE2\x80\xA9");
    if (is_blank && !line.empty() && line.back() != ' ') line += ' ';
    text.remove_prefix(std::max<std::size_t>(control, 1));
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

VendorError read_vendor_error(std::string_view body) {
  body = utf8_prefix(body, kReadOfBody);
  ResponseJson json;
  const auto document = json.parse(body);
  if (!document) return read_plain(body);
  const Json* error = *document;
  if (const JsonArray* list = array_in(error); list != nullptr && !list->empty()) {
    error = &list->front();
  }
  if (error->is_string()) return {.message = one_line(valid_text(error->get_string()))};
  if (!error->is_object()) return {};
  VendorError read = error_of(error);
  read.message = one_line(read.message);
  return read;
}

std::optional<VendorError> vendor_error_in(const Json& document) {
  const auto [error, type, object, base] =
      fields<4>(&document, {"error", "type", "object", "base_resp"});
  const bool is_error_itself = text_in(type) == "error" || text_in(object) == "error";
  if (error == nullptr && !is_error_itself) return problem_in_base(base);
  VendorError read = error_of(&document);
  read.message = one_line(read.message);
  return read;
}

}  // namespace wright::providers
