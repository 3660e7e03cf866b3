// grep and list_files against ripgrep and fd, on a generated repository of 12,000 files with
// .gitignore files in it. Every iteration starts both programs, one after the other, on the same
// files: `ratio` is our time divided by theirs, over the whole run. Both count matching lines file
// by file, leave out the same files, and write to nowhere.
//
// ignored_files asks git itself about every file: `agreement` is the percentage of which a walk
// thinks the same.
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tools/files/tree_walk.h"

extern char** environ;

namespace {

using Command = std::vector<std::string>;

class Tree {
 public:
  Tree() {
    std::string name = (std::filesystem::temp_directory_path() / "wright-bench-XXXXXX").native();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
    fill();
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  // Sizes as in source trees: many small files and a few large ones.
  void fill() {
    std::mt19937 random(7);
    const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
    std::vector<std::string> words;
    for (int i = 0; i < 2000; ++i) {
      std::string word;
      for (unsigned j = 0, length = 2 + below(9); j < length; ++j) {
        word += "etaoinrslcdupmfhgbyvwk_"[below(23)];
      }
      words.push_back(word);
    }
    for (const char* word : {"return", "const", "value", "result", "Context"}) {
      words.insert(words.end(), 20, word);
    }
    constexpr const char* kRules[] = {"*.o\n!keep.o\nbuild/\n", "*\n!*.cpp\n!*.h\n",
                                      "file[0-9].*\n!/file1*\n# none\n", "/file2*.py\n!*.log\n"};
    const char* const endings[] = {"cpp", "h", "py", "ts", "md", "json", "txt", "o", "log"};
    if (std::system(fmt::format("git init --quiet '{}'", path_).c_str()) != 0) std::abort();
    std::ofstream(path_ + "/.gitignore") << "*.log\n/out/\n/package1[0-4]/**/file2?.md\n";
    for (unsigned folder = 0; folder < 400; ++folder) {
      const std::string place = fmt::format("{}/package{}/module{}", path_, folder % 20, folder);
      std::filesystem::create_directories(place);
      if (folder % 10 == 0) std::ofstream(place + "/.gitignore") << kRules[folder / 10 % 4];
      for (unsigned file = 0; file < 30; ++file) {
        const double scale = (below(1000) + below(1000) + below(1000)) / 3000.0;
        const auto size = static_cast<std::size_t>(300 * std::exp(7.0 * scale * scale + scale));
        std::string text;
        while (text.size() < size) {
          text.append(2UL * below(5), ' ');
          for (unsigned i = 0, count = 1 + below(12); i < count; ++i) {
            text += words[below(static_cast<unsigned>(words.size()))] + " ";
          }
          text += ";\n";
        }
        if (below(500) == 0) text += "  needle_in_haystack(42);\n";
        std::ofstream(fmt::format("{}/file{}.{}", place, file, endings[below(9)])) << text;
      }
    }
  }

  std::string path_;
};

const Tree& tree() {
  static const Tree made;
  return made;
}

// Milliseconds from start to end of a program whose output goes nowhere.
double run(const Command& command, const std::string& folder) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  const auto began = std::chrono::steady_clock::now();
  pid_t child = 0;
  int status = 0;
  if (posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) != 0 ||
      waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) > 1) {
    fmt::print(stderr, "{} cannot be run\n", command.front());
    std::abort();
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
  posix_spawn_file_actions_destroy(&actions);
  return took.count();
}

void compare(benchmark::State& state, const Command& ours, const Command& theirs) {
  double our_time = 0;
  double their_time = 0;
  for (auto _ : state) {
    const double time = run(ours, tree().path());
    our_time += time;
    their_time += run(theirs, tree().path());
    state.SetIterationTime(time / 1000);
  }
  state.counters["theirs_ms"] = their_time / static_cast<double>(state.iterations());
  state.counters["ratio"] = our_time / their_time;
}

Command call(const std::string& tool, const std::string& arguments) {
  return {WRIGHT_BINARY, "tools", "call", tool, arguments, "--base-path", tree().path()};
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::vector<std::string> all_files() {
  std::vector<std::string> files;
  for (auto entry = std::filesystem::recursive_directory_iterator(tree().path());
       entry != std::filesystem::recursive_directory_iterator(); ++entry) {
    if (entry->path().filename() == ".git") entry.disable_recursion_pending();
    if (!entry->is_regular_file()) continue;
    files.push_back(entry->path().lexically_relative(tree().path()).native());
  }
  return files;
}

// What `git check-ignore` says is ignored among these files.
std::set<std::string> ignored_by_git(const std::vector<std::string>& files) {
  const std::string names = tree().path() + "/.git/names";
  {
    std::ofstream list(names);
    for (const std::string& file : files) list << file << '\0';
  }
  const std::string command = fmt::format(
      "git -C '{}' -c core.excludesFile=/dev/null check-ignore --no-index -z --stdin "
      "< '{}'",
      tree().path(), names);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) std::abort();
  std::string output;
  std::vector<char> buffer(65536);
  while (const std::size_t length = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), length);
  }
  ::pclose(pipe);
  const auto ignored = split(output);
  return {ignored.begin(), ignored.end()};
}

std::set<std::string> kept_by_walk() {
  using namespace wright::tools;
  const auto workspace = Workspace::open({.base = tree().path()});
  if (!workspace) std::abort();
  const auto folder = workspace->open_folder(".");
  std::set<std::string> kept;
  const auto walked =
      walk(*workspace, *folder, {.hidden = Hidden::visit}, {}, [&](const WalkEntry& entry) {
        kept.insert(entry.path);
        return Visited::proceed;
      });
  if (!walked) std::abort();
  return kept;
}

void ignored_files(benchmark::State& state) {
  const auto files = all_files();
  const auto ignored = ignored_by_git(files);
  std::set<std::string> kept;
  for (auto _ : state) kept = kept_by_walk();
  std::size_t agreeing = 0;
  for (const std::string& file : files) agreeing += kept.contains(file) != ignored.contains(file);
  state.counters["files"] = static_cast<double>(files.size());
  state.counters["ignored"] = static_cast<double>(ignored.size());
  state.counters["agreement"] =
      100.0 * static_cast<double>(agreeing) / static_cast<double>(files.size());
}

enum class Letters { distinguish, ignore };

void grep(benchmark::State& state, const std::string& pattern, Letters letters) {
  const bool ignores_case = letters == Letters::ignore;
  Command theirs{"rg", "--no-config", "--count", pattern};
  if (ignores_case) theirs.insert(theirs.begin() + 1, "-i");
  compare(state,
          call("grep", fmt::format(R"({{"pattern":"{}","output_mode":"count","-i":{}}})", pattern,
                                   ignores_case)),
          theirs);
}

void list(benchmark::State& state, const std::string& pattern) {
  compare(state, call("list_files", fmt::format(R"({{"pattern":"{}","limit":10000}})", pattern)),
          {"fdfind", "--type", "f", "--glob", pattern});
}

BENCHMARK_CAPTURE(grep, rare_literal, "needle_in_haystack", Letters::distinguish)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(grep, common_literal, "result", Letters::distinguish)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(grep, alternation, "needle_in_haystack|absent_word|Context", Letters::distinguish)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(grep, rare_ignoring_case, "Needle_In_Haystack", Letters::ignore)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(grep, common_ignoring_case, "RESULT", Letters::ignore)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(grep, expression, "needle_[a-z]+_haystack", Letters::distinguish)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(list, all, "*")->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(list, some, "*.cpp")->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ignored_files)->Unit(benchmark::kMillisecond);

}  // namespace
