#include "process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace wright::cli {
namespace {

constexpr int kPatienceMs = 120'000;  // for a program that hangs, not for one that is slow

void check(int error, const char* what) {
  if (error != 0) throw std::runtime_error(std::string(what) + ": " + strerror(error));
}

struct Pipe {
  int read_end;
  int write_end;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) check(errno, "pipe2");
  return {ends[0], ends[1]};
}

void close_once(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

// Appends what is there; false at the end. A terminal whose program is gone answers EIO.
bool read_into(int descriptor, std::string& text) {
  std::array<char, 64 * 1024> buffer;
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

}  // namespace

void expect_ended_well(const Finished& finished) {
  EXPECT_EQ(finished.exit_code, 0) << "signal " << finished.signal << "\n" << finished.error;
}

Json Finished::json() const {
  auto parsed = parse_json(output);
  if (parsed) return std::move(*parsed);
  ADD_FAILURE() << parsed.error().message << "\n" << output << error;
  return {};
}

Process::Process(const Arguments& arguments, const Variables& environment,
                 const std::filesystem::path& folder, Streams streams) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  check(posix_spawn_file_actions_init(&actions), "file actions");
  check(posix_spawnattr_init(&attributes), "attributes");
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());

  std::vector<int> theirs;
  if (streams == Streams::pipes) {
    const Pipe in = make_pipe();
    const Pipe out = make_pipe();
    const Pipe err = make_pipe();
    theirs = {in.read_end, out.write_end, err.write_end};
    for (int i = 0; i < 3; ++i) posix_spawn_file_actions_adddup2(&actions, theirs[i], i);
    input_ = in.write_end;
    output_ = out.read_end;
    error_ = err.read_end;
  } else {
    int slave = -1;
    std::array<char, 128> name{};
    const winsize size{.ws_row = 40, .ws_col = 100, .ws_xpixel = 0, .ws_ypixel = 0};
    if (openpty(&output_, &slave, name.data(), nullptr, &size) != 0) check(errno, "openpty");
    fcntl(output_, F_SETFD, FD_CLOEXEC);
    input_ = dup(output_);
    fcntl(input_, F_SETFD, FD_CLOEXEC);
    theirs = {slave};
    fcntl(slave, F_SETFD, FD_CLOEXEC);
    // Opened by the leader of a new session, it becomes the terminal that Ctrl-C comes from.
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    posix_spawn_file_actions_addopen(&actions, 0, name.data(), O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, 0, 1);
    posix_spawn_file_actions_adddup2(&actions, 0, 2);
  }

  std::vector<std::string> words{"wright"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) variables.push_back(name + "=" + value);
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (std::string& text : texts) list.push_back(text.data());
    list.push_back(nullptr);
    return list;
  };
  const int error = posix_spawn(&id_, WRIGHT_PROGRAM, &actions, &attributes, pointers(words).data(),
                                pointers(variables).data());
  for (const int descriptor : theirs) close(descriptor);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  check(error, "posix_spawn");
}

Process::~Process() {
  if (id_ > 0) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  close_once(input_);
  close_once(output_);
  close_once(error_);
}

void Process::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(input_, text.data(), text.size());
    if (count < 0) return;  // the program did not want to hear it
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

void Process::close_input() {
  close_once(input_);
}

void Process::close_output() {
  close_once(output_);
}

void Process::send(int signal) const {
  kill(id_, signal);
}

bool Process::read_some() {
  std::vector<pollfd> waits;
  for (const int descriptor : {output_, error_}) {
    if (descriptor >= 0) waits.push_back({descriptor, POLLIN, 0});
  }
  if (waits.empty()) return false;
  const int ready = poll(waits.data(), waits.size(), kPatienceMs);
  if (ready < 0) return errno == EINTR;
  if (ready == 0) {
    ADD_FAILURE() << "the program says nothing any more:\n" << finished_.output << finished_.error;
    kill(id_, SIGKILL);
    return false;
  }
  for (const pollfd& wait : waits) {
    if (wait.revents == 0) continue;
    const bool is_output = wait.fd == output_;
    if (read_into(wait.fd, is_output ? finished_.output : finished_.error)) continue;
    close_once(is_output ? output_ : error_);
  }
  return true;
}

void Process::await(std::string_view text) {
  const bool is_terminal = error_ < 0;
  const std::string& heard = is_terminal ? finished_.output : finished_.error;
  while (heard.find(text) == std::string::npos) {
    if (read_some()) continue;
    ADD_FAILURE() << "the program ended without saying '" << text << "':\n" << heard;
    return;
  }
}

Finished Process::finish() {
  while (read_some()) {
  }
  int status = 0;
  waitpid(id_, &status, 0);
  id_ = -1;
  if (WIFEXITED(status)) finished_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) finished_.signal = WTERMSIG(status);
  return finished_;
}

Home::Home() {
  // A program that leaves early must not end the tests with it.
  std::signal(SIGPIPE, SIG_IGN);
  std::string made = (std::filesystem::temp_directory_path() / "wright-cli-XXXXXX").string();
  if (mkdtemp(made.data()) == nullptr) check(errno, "mkdtemp");
  path_ = std::filesystem::canonical(made);
  environment = {{"HOME", path_.string()},
                 {"PATH", "/usr/bin:/bin"},
                 {"TERM", "xterm-256color"}};
  std::filesystem::create_directories(project());
  write_file("alpha.cpp", "// The first file.\nint alpha_function() {\n  return 1;\n}\n");
  write_file("beta.cpp", "int alpha_function();\nint beta() { return alpha_function(); }\n");
  write_file("README.md", "# A project\n\nIt adds numbers.\n");
}

Home::~Home() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void Home::write_config(std::string_view toml) const {
  std::filesystem::create_directories(config_file().parent_path());
  std::ofstream(config_file()) << toml;
}

void Home::write_file(const std::string& name, std::string_view content) const {
  std::filesystem::create_directories((project() / name).parent_path());
  std::ofstream(project() / name) << content;
}

Finished Home::wright(const Arguments& arguments, std::string_view input) const {
  Process process(arguments, environment, project(), Streams::pipes);
  process.write(input);
  process.close_input();
  return process.finish();
}

Finished Home::wright_on_terminal(const Arguments& arguments, std::string_view typed) const {
  Process process(arguments, environment, project(), Streams::terminal);
  process.write(typed);
  return process.finish();
}

}  // namespace wright::cli
