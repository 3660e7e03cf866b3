#include "vendors.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdio>
#include <cstdlib>
#include <future>

#include "net/http_client.h"

namespace wright::http {
namespace {

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "The stand-in for the vendors does not tell what it was asked: %s\n", why);
  std::exit(1);
}

class Body : public net::HttpReceiver {
 public:
  void on_head(HttpResponseHead) override {}
  Result<void> on_body(std::string_view bytes) override {
    text_ += bytes;
    return {};
  }
  void on_end(Result<void> end) override {
    done_.set_value(end ? Result<std::string>(std::move(text_)) : std::unexpected(end.error()));
  }
  Result<std::string> wait() { return done_.get_future().get(); }

 private:
  std::string text_;
  std::promise<Result<std::string>> done_;
};

}  // namespace

Vendors::Vendors() : server_(WRIGHT_NPM_FOLDER "/vendors.mjs") {}

JsonArray Vendors::requests_with(std::string_view text) const {
  net::HttpClient client;
  auto body = std::make_shared<Body>();
  client.start({.url = url() + "/__aimock/journal", .method = "GET"}, {}, body);
  const auto answer = body->wait();
  if (!answer) give_up(answer.error().message.c_str());
  JsonArray found;
  const auto journal = parse_json(*answer);
  if (!journal) give_up(journal.error().message.c_str());
  const Json* entries =
      journal->is_array() ? &*journal : journal->as_object().if_contains("entries");
  for (const Json& entry : entries->as_array()) {
    if (to_text(entry.as_object().at("body")).find(text) != std::string::npos) {
      found.push_back(entry);
    }
  }
  return found;
}

}  // namespace wright::http
