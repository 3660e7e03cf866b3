// Elicitation by an address that a person is to open (mode "url"): logging in, paying, secrets.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

#include "core/text.h"
#include "core/try.h"
#include "mcp/elicitation.h"

namespace wright::mcp {
namespace {

constexpr std::string_view kOpened = "opened";
constexpr std::size_t kLongestAddress = 4096;
constexpr std::size_t kLongestMessage = 1000;

// "https://user@host:1/path": where it leads, as a browser would understand it.
struct Address {
  std::string scheme = {};
  std::string host = {};  // without user and port
  bool has_user = false;
};

Result<Address> address_in(std::string_view url) {
  const auto refuse = [](std::string_view why) {
    return fail(ErrorCode::protocol,
                fmt::format("The server wants an address to be opened that {}", why));
  };
  if (url.empty() || url.size() > kLongestAddress) return refuse("is missing, or too long");
  // Browsers drop or turn around what is not plain ASCII, and what a person reads differs then.
  const bool is_plain =
      std::ranges::all_of(url, [](char c) { return c > ' ' && c < 0x7f && c != '\\'; });
  if (!is_plain) return refuse("has signs that no address has");
  const std::size_t colon = url.find("://");
  if (colon == std::string_view::npos) return refuse("is none of the web");
  Address address{.scheme = lower(url.substr(0, colon))};
  if (address.scheme != "https" && address.scheme != "http") return refuse("is none of the web");
  std::string_view authority = url.substr(colon + 3);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    address.has_user = true;
    authority.remove_prefix(at + 1);
  }
  const std::size_t port = authority.starts_with('[') ? authority.find(']') : 0;
  if (port == std::string_view::npos) return refuse("names no host");
  authority = authority.substr(0, authority.find(':', port));
  if (authority.empty()) return refuse("names no host");
  address.host = lower(authority);
  return address;
}

bool is_this_machine(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

// What makes an address easy to take for another one.
std::string warnings_of(const Address& address) {
  std::string text;
  if (address.has_user) text += "\nCareful: what stands before '@' is not where it leads.";
  if (address.host.starts_with("xn--") || address.host.find(".xn--") != std::string::npos) {
    text += "\nCareful: the host has letters that may look like others.";
  }
  if (address.scheme == "http" && !is_this_machine(address.host)) {
    text += "\nCareful: what you type there is not encrypted.";
  }
  return text;
}

}  // namespace

bool asks_for_address(const JsonObject& params) {
  return text_in(params, "mode") == "url";
}

Result<AskUserRequest> address_question(const JsonObject& params) {
  const std::string url = text_in(params, "url");
  const Address address = TRY(address_in(url));
  std::string message = to_valid_utf8(text_in(params, "message"));
  // One line: it must not look like what stands above it.
  std::ranges::replace_if(
      message, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  AskUserRequest request{
      .prompt = fmt::format("open an address in a browser yourself\nHost: {}\nAddress: {}{}",
                            address.host, url, warnings_of(address)),
      .required = false};
  if (!message.empty()) {
    *request.prompt +=
        fmt::format("\nWhy, in its words: {}", utf8_prefix(message, kLongestMessage));
  }
  request.questions.push_back({.id = std::string(kOpened),
                               .question = "Have you opened it yourself, and does the call go on?",
                               .type = QuestionType::boolean,
                               .description = "Nothing is opened for you. No: you decline"});
  return request;
}

JsonObject address_result(const Json& answer) {
  const JsonObject form = form_result(answer);
  const JsonObject* content = object_in(form, "content");
  const Json* opened = content != nullptr ? content->if_contains(kOpened) : nullptr;
  const bool is_agreed = opened != nullptr && opened->is_bool() && opened->get_bool();
  return {{"action", is_agreed ? "accept" : "decline"}};
}

}  // namespace wright::mcp
