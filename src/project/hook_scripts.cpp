#include "project/hook_scripts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/file_descriptor.h"
#include "core/sha256.h"
#include "core/text.h"
#include "core/try.h"
#include "project/text_file.h"
#include "tools/text/text_file.h"
#include "tools/workspace/workspace.h"
#include "wright/json.h"

namespace wright::project {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestScript = std::size_t{8} << 20;
constexpr std::size_t kMostScripts = 500;
constexpr std::size_t kMostWords = 400;
constexpr std::size_t kMostPlaces = 50;
// After what starts a program of its own: options, their values, and the file.
constexpr int kWordsAfterInterpreter = 4;

constexpr std::array<std::string_view, 18> kScriptEndings{
    ".sh", ".bash", ".zsh", ".py",  ".js",  ".mjs", ".cjs", ".ts", ".mts",
    ".rb", ".pl",   ".php", ".lua", ".awk", ".jq",  ".sed", ".mk", ".exe"};
constexpr std::array<std::string_view, 17> kInterpreters{
    "sh",   "bash", "dash", "zsh", "python", "python3", "node", "deno", "bun",
    "ruby", "perl", "php",  "lua", "source", ".",       "env",  "exec"};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// All that a shell may take for a word, and somewhat more: in quotes and without them.
std::vector<std::string> words_in(std::string command, const fs::path& folder) {
  for (const char* name : {"WRIGHT_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "PWD"}) {
    replace_all(command, fmt::format("\"${}\"", name), folder.string());
    replace_all(command, fmt::format("\"${{{}}}\"", name), folder.string());
    replace_all(command, fmt::format("${{{}}}", name), folder.string());
    replace_all(command, fmt::format("${}", name), folder.string());
  }
  for (const char* top : {"$(git rev-parse --show-toplevel)", "`git rev-parse --show-toplevel`"}) {
    replace_all(command, top, folder.string());
  }
  std::vector<std::string> words;
  const auto split = [&](std::string_view between) {
    std::string word;
    const auto end_word = [&] {
      if (!word.empty() && words.size() < kMostWords) words.push_back(std::move(word));
      word.clear();
    };
    for (std::size_t i = 0; i < command.size(); ++i) {
      if (command[i] == '\\' && i + 1 < command.size()) {
        word += command[++i];
      } else if (between.contains(command[i])) {
        end_word();
      } else {
        word += command[i];
      }
    }
    end_word();
  };
  split(" \t\r\n;|&<>()\"'`=");
  split(" \t\r\n;|&<>(){}\"'`=");
  split("\"'");  // names with blanks
  return words;
}

// `$D/check.sh` may be check.sh in any folder that the command names.
std::string without_variable(const std::string& word) {
  const std::size_t slash = word.find('/');
  return word.starts_with('$') && slash != std::string::npos ? word.substr(slash + 1) : word;
}

// The files that a pattern stands for; the word itself where it is none.
std::vector<fs::path> meant_by(const fs::path& place, const std::string& word) {
  const fs::path path = place / word;
  if (word.find_first_of("*?[{") == std::string::npos) return {path};
  glob_t found{};
  std::vector<fs::path> paths;
  if (::glob(path.c_str(), GLOB_BRACE | GLOB_NOSORT, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return paths;
}

bool looks_like_code(const fs::path& path, const struct stat& status, std::string_view content) {
  if ((status.st_mode & 0111) != 0 || content.starts_with("#!")) return true;
  const std::string name = lower(path.filename().string());
  return std::ranges::any_of(kScriptEndings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

class Finder {
 public:
  explicit Finder(const fs::path& folder) : folder_(folder) {}

  Result<void> add_command(const std::string& command) {
    const auto words = words_in(command, folder_);
    const auto places = places_named_by(words);
    int run = 0;  // for how many words to come it counts that something before starts programs
    for (const std::string& written : words) {
      const std::string word = without_variable(written);
      for (const fs::path& place : places) {
        for (const fs::path& path : meant_by(place, word)) TRY(add(path, run > 0));
        if (run > 0) TRY(add_module(place, word));
      }
      const std::string name = fs::path(word).filename().string();
      const bool is_interpreter = std::ranges::find(kInterpreters, name) != kInterpreters.end();
      run = is_interpreter ? kWordsAfterInterpreter : run - 1;
    }
    return {};
  }

  // A folder of scripts: all of it.
  Result<void> add_folder(const fs::path& folder) {
    std::error_code error;
    fs::recursive_directory_iterator entries(folder, error);
    for (const fs::recursive_directory_iterator end; !error && entries != end;
         entries.increment(error)) {
      std::error_code problem;
      if (!entries->is_directory(problem)) TRY(add(entries->path(), true));
    }
    return {};
  }

  HookScripts found() && {
    HookScripts scripts;
    for (auto& [path, line] : lines_) scripts.lines.push_back(std::move(line));
    scripts.paths.assign(paths_.begin(), paths_.end());
    return scripts;
  }

 private:
  // The folder, and those in it to which the words lead, one after the other.
  std::vector<fs::path> places_named_by(const std::vector<std::string>& words) const {
    std::vector<fs::path> places{folder_};
    for (const std::string& word : words) {
      for (std::size_t i = 0, known = places.size(); i < known; ++i) {
        std::error_code error;
        fs::path place = (places[i] / without_variable(word)).lexically_normal();
        if (places.size() < kMostPlaces && std::ranges::find(places, place) == places.end() &&
            is_inside(place, folder_) && fs::is_directory(place, error)) {
          places.push_back(std::move(place));
        }
      }
    }
    return places;
  }

  // `python3 -m tools.check`
  Result<void> add_module(const fs::path& place, std::string word) {
    std::ranges::replace(word, '.', '/');
    TRY(add(place / (word + ".py"), true));
    return add(place / word / "__main__.py", true);
  }

  Result<void> add(const fs::path& word, bool is_run) {
    const fs::path path = word.lexically_normal();
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error || (!is_inside(path.parent_path(), folder_) && !is_inside(real, folder_))) return {};
    if (lines_.contains(path.string())) return {};
    const FileDescriptor file(::open(real.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat status {};
    if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    const auto too_much = [&] {
      return fail(ErrorCode::limit_reached,
                  fmt::format("{}, which a hook runs, is more than can be agreed to",
                              tools::shown_path(path.string())));
    };
    if (lines_.size() >= kMostScripts) return too_much();
    const bool is_large = static_cast<std::size_t>(status.st_size) > kLargestScript;
    std::string content(is_large ? 2 : static_cast<std::size_t>(status.st_size), '\0');
    const auto length = tools::read_fully(file.get(), content);
    if (!length) return too_much();
    content.resize(*length);
    if (!is_run && !looks_like_code(path, status, content)) return {};
    if (is_large) return too_much();
    lines_[path.string()] =
        fmt::format("{} {:o} {}", to_valid_utf8(path.lexically_relative(folder_).string()),
                    status.st_mode & 0111, sha256_hex(content));
    paths_.insert(path);
    paths_.insert(real);
    return {};
  }

  const fs::path& folder_;
  std::map<std::string, std::string> lines_;
  std::set<fs::path> paths_;
};

}  // namespace

std::string HookScripts::content() const {
  return fmt::format("{}", fmt::join(lines, "\n"));
}

Result<HookScripts> scripts_of(std::span<const Hook> hooks, const fs::path& folder) {
  if (hooks.empty()) return HookScripts{};
  Finder finder(folder);
  for (const Hook& hook : hooks) TRY(finder.add_command(hook.command));
  TRY(finder.add_folder(folder / ".wright" / "hooks"));
  return std::move(finder).found();
}

}  // namespace wright::project
