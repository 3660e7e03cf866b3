#include "vendors.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cstdio>
#include <cstdlib>
#include <future>

#include "net/http_client.h"

namespace wright::http {
namespace {

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "The stand-in for the vendors did not start: %s\n", why);
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

Vendors::Vendors() {
  int input[2];
  int output[2];
  if (pipe2(input, O_CLOEXEC) != 0 || pipe2(output, O_CLOEXEC) != 0) give_up("no pipes");
  id_ = fork();
  if (id_ == 0) {
    dup2(input[0], STDIN_FILENO);
    dup2(output[1], STDOUT_FILENO);
    const std::string node = WRIGHT_NPM_FOLDER "/node";
    const std::string script = WRIGHT_NPM_FOLDER "/vendors.mjs";
    execl(node.c_str(), node.c_str(), script.c_str(), nullptr);
    _exit(127);
  }
  close(input[0]);
  close(output[1]);
  input_ = input[1];
  FILE* lines = fdopen(output[0], "r");
  char line[256];
  if (std::fgets(line, sizeof(line), lines) == nullptr) {
    give_up("it said nothing; is aimock installed, and Node.js 20.15 or newer?");
  }
  std::fclose(lines);
  url_ = line;
  while (url_.ends_with('\n')) url_.pop_back();
}

Vendors::~Vendors() {
  close(input_);
  waitpid(id_, nullptr, 0);
}

JsonArray Vendors::requests_with(std::string_view text) const {
  net::HttpClient client;
  auto body = std::make_shared<Body>();
  client.start({.url = url_ + "/__aimock/journal", .method = "GET"}, {}, body);
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
