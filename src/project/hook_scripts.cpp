#include "project/hook_scripts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "core/file_descriptor.h"
#include "core/paths.h"
#include "core/sha256.h"
#include "core/text.h"
#include "core/try.h"
#include "project/command_words.h"
#include "project/run_words.h"
#include "project/word_patterns.h"
#include "tools/text/text_file.h"
#include "tools/workspace/workspace.h"
#include "wright/json.h"

namespace wright::project {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestScript = std::size_t{8} << 20;
constexpr std::size_t kMostScripts = 500;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;    // of all scripts
constexpr std::size_t kMostLookedAt = std::size_t{8} << 20;  // of names; see Allowance
constexpr std::size_t kMostPlaces = 100;
constexpr std::size_t kTooLongForPath = PATH_MAX;
constexpr std::size_t kMostShown = 60;  // bytes of a command that is refused

constexpr auto kScriptEndings = std::to_array<std::string_view>(
    {".sh",    ".bash", ".zsh",  ".fish", ".csh", ".ksh", ".py",   ".js",  ".mjs",    ".cjs",
     ".ts",    ".mts",  ".cts",  ".rb",   ".pl",  ".php", ".lua",  ".awk", ".jq",     ".sed",
     ".mk",    ".exe",  ".ps1",  ".bat",  ".cmd", ".go",  ".java", ".kts", ".groovy", ".scala",
     ".swift", ".jl",   ".r",    ".tcl",  ".ex",  ".exs", ".clj",  ".bb",  ".el",     ".vim",
     ".ml",    ".m4",   ".dart", ".nim",  ".cr",  ".hs",  ".rs",   ".csx", ".fsx"});

constexpr auto kNodes =
    std::to_array<std::string_view>({"node", "nodejs", "deno", "bun", "tsx", "ts-node"});

// Whether the words before say that this one is run, whatever it looks like.
enum class Use : std::uint8_t { named, run };

enum class Origin : std::uint8_t { relative, absolute };

// Whether the way that a name tells goes back somewhere: there a shell and the kernel may differ,
// when a link leads to where it goes back from.
bool goes_back(const std::string& name) {
  return std::ranges::any_of(fs::path(name), [](const fs::path& part) { return part == ".."; });
}

bool looks_like_code(const fs::path& path, const struct stat& status, const FileDescriptor& file) {
  if ((status.st_mode & 0111) != 0) return true;
  std::array<char, 2> head{};
  if (::pread(file.get(), head.data(), head.size(), 0) == 2 && head == std::array{'#', '!'}) {
    return true;
  }
  const std::string name = lower(path.filename().string());
  return std::ranges::any_of(kScriptEndings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

class Finder {
 public:
  explicit Finder(const fs::path& folder) : folder_(folder) {
    std::error_code error;
    real_folder_ = fs::weakly_canonical(folder, error);
    if (error) real_folder_ = folder;
  }

  Result<void> add_command(const std::string& command) {
    const std::string start(
        utf8_prefix(std::string_view(command).substr(0, command.find('\n')), kMostShown));
    subject_ = fmt::format(
        "What the words of the hook {} name",
        tools::shown_path(start.size() < command.size() ? fmt::format("{}…", start) : command));
    const auto words = words_in(command, folder_);
    const auto places = TRY(places_named_by(words));
    for (auto& known : named_) known.clear();
    RunWords run;
    bool is_any_run = pipes_into_interpreter(command);
    bool has_interpreter = false;
    for (const std::string& word : words) {
      // What stands behind a substitution comes last, without what is in front of it.
      const bool may_run = run.may_run(word) || (has_interpreter && word.starts_with("$/"));
      const bool is_file = TRY(add_word(places, word, may_run ? Use::run : Use::named));
      has_interpreter = has_interpreter || !run.interpreter().empty();
      if (may_run) TRY(add_what_it_finds(places, word, run.interpreter()));
      is_any_run = is_any_run || (run.is_the_one(word) && has_variable(word));
      run.pass(word, is_file);
    }
    // Of `F=check; bash tools/$F`, only bash knows which word is run.
    if (is_any_run) {
      for (const std::string& word : words) TRY(add_word(places, word, Use::run));
    }
    return {};
  }

  // A folder of scripts: all of it.
  Result<void> add_folder(const fs::path& folder) {
    subject_ = fmt::format("All that lies in {}", tools::shown_path(folder.string()));
    std::error_code error;
    fs::recursive_directory_iterator entries(folder, error);
    for (const fs::recursive_directory_iterator end; !error && entries != end;
         entries.increment(error)) {
      TRY(pay_for(entries->path()));
      std::error_code problem;
      if (!entries->is_directory(problem)) TRY(add(entries->path(), "", Use::run));
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
  static std::unexpected<Error> too_much(std::string_view what) {
    return fail(ErrorCode::limit_reached, fmt::format("{} is more than can be agreed to", what));
  }
  Result<void> pay_for(const fs::path& path) {
    if (allowance_.covers(path.native().size())) return {};
    return too_much(subject_);
  }

  // The folder, and those to which the words lead, one after the other.
  Result<std::vector<fs::path>> places_named_by(const std::vector<std::string>& words) {
    std::vector<fs::path> places{folder_};
    std::set<std::string> names;
    for (const std::string& word : words) {
      for (std::string& name : names_in(word)) names.insert(std::move(name));
    }
    // Twice: the words may say first what comes last (`D=deep; cd tools/$D`).
    for (int round = 0; round < 2; ++round) {
      for (const std::string& name : names) {
        for (std::size_t i = 0, known = places.size(); i < known; ++i) {
          const auto found = TRY(folders_at(places[i], name));
          for (const fs::path& folder : found) {
            if (std::ranges::find(places, folder) == places.end()) places.push_back(folder);
          }
          if (places.size() > kMostPlaces) return too_much(subject_);
        }
      }
    }
    return places;
  }

  // As a shell goes there, and as the kernel does. All of the system is no place of this folder's.
  Result<std::vector<fs::path>> folders_at(const fs::path& place, const std::string& name) {
    std::vector<fs::path> folders;
    if (name.size() >= kTooLongForPath) return folders;
    const fs::path written = place / name;
    TRY(pay_for(written));
    std::error_code error;
    fs::path folder = written.lexically_normal();
    if (!folder.has_filename()) folder = folder.parent_path();
    if (fs::is_directory(folder, error)) folders.push_back(std::move(folder));
    if (goes_back(name)) {
      fs::path real = fs::canonical(written, error);
      if (!error && fs::is_directory(real, error)) folders.push_back(std::move(real));
    }
    std::erase_if(folders, [&](const fs::path& each) {
      if (!each.has_relative_path()) return true;
      std::error_code problem;
      return name.starts_with('/') && !lies_in(fs::canonical(each, problem), real_folder_);
    });
    return folders;
  }

  // Whether it names a file in one of the places.
  Result<bool> add_word(const std::vector<fs::path>& places, const std::string& word, Use use) {
    if (word.empty()) return false;
    auto& known = named_.at(use == Use::run ? 1 : 0);
    if (const auto found = known.find(word); found != known.end()) return found->second;
    has_met_file_ = false;
    for (const std::string& name : names_in(word)) TRY(add_name(places, name, use));
    // `-fcheck`
    if (use == Use::run && word.starts_with('-') && word.size() > 2) {
      TRY(add_name(places, word.substr(2), use));
    }
    known[word] = has_met_file_;
    return has_met_file_;
  }

  Result<void> add_name(const std::vector<fs::path>& places, const std::string& name, Use use) {
    // As it is written, too: in quotes a pattern is none.
    if (name.find_first_of("*?[{") != std::string::npos && name.size() < kTooLongForPath) {
      for (const fs::path& place : places) TRY(add(place / name, name, use));
    }
    const auto words = without_braces(name, allowance_);
    if (!words) return too_much(subject_);
    for (const std::string& word : *words) {
      if (word.size() >= kTooLongForPath) continue;
      for (const fs::path& place : places) {
        const auto paths = paths_like(place, word, allowance_);
        if (!paths) return too_much(subject_);
        for (const fs::path& path : *paths) TRY(add(path, word, use));
      }
    }
    return {};
  }

  // What an interpreter takes for the word where no file is called so: `node tools/check`,
  // `ruby -r./tools/check`, `python3 tools`.
  Result<void> add_what_it_finds(const std::vector<fs::path>& places, std::string_view word,
                                 std::string_view interpreter) {
    if (word.starts_with('-') && word.size() > 2) word.remove_prefix(2);
    const bool is_node = is_one_of(interpreter, kNodes);
    const bool is_ruby = interpreter == "ruby" || interpreter == "jruby";
    if (word.empty() || word == "." || word.size() >= kTooLongForPath) return {};
    for (const std::string& name : names_in(std::string(word))) {
      for (const fs::path& place : places) {
        const fs::path path = place / name;
        if (is_node) {
          for (const char* ending : {".js", ".cjs", ".mjs", ".ts"}) {
            TRY(add(path.string() + ending, name, Use::run));
          }
          for (const char* file : {"package.json", "index.js", "index.cjs", "index.ts"}) {
            TRY(add(path / file, name, Use::run));
          }
        }
        if (is_ruby) TRY(add(path.string() + ".rb", name, Use::run));
        TRY(add_module(place, name));
      }
    }
    return {};
  }

  // `python3 -m tools.check`
  Result<void> add_module(const fs::path& place, std::string word) {
    TRY(add(place / word / "__main__.py", word, Use::run));
    if (word.contains('/')) return {};
    std::ranges::replace(word, '.', '/');
    TRY(add(place / (word + ".py"), word, Use::run));
    return add(place / word / "__main__.py", word, Use::run);
  }

  // As a shell goes there, and as the kernel does.
  Result<void> add(const fs::path& path, const std::string& name, Use use) {
    const Origin origin = name.starts_with('/') ? Origin::absolute : Origin::relative;
    TRY(add_file(path.lexically_normal(), origin, use));
    if (!goes_back(name)) return {};
    std::error_code error;
    const fs::path parent = fs::canonical(path.parent_path(), error);
    if (error) return {};
    return add_file(parent / path.filename(), origin, use);
  }

  // By an absolute name only what lies in the folder counts: programs of the system change.
  Result<void> add_file(const fs::path& path, Origin origin, Use use) {
    TRY(pay_for(path));
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    has_met_file_ = true;
    if (lines_.contains(path.string())) return {};
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error) return {};
    if (origin == Origin::absolute && !lies_in(real, real_folder_) &&
        !lies_in(fs::weakly_canonical(path.parent_path(), error), real_folder_)) {
      return {};
    }
    const FileDescriptor file(::open(real.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    if (use != Use::run && !looks_like_code(path, status, file)) return {};
    const auto size = static_cast<std::size_t>(status.st_size);
    const auto what = fmt::format("{}, which a hook runs,", tools::shown_path(path.string()));
    if (lines_.size() >= kMostScripts || size > kLargestScript || size > bytes_left_) {
      return too_much(what);
    }
    bytes_left_ -= size;
    std::string content(size, '\0');
    const auto length = tools::read_fully(file.get(), content);
    if (!length) return too_much(what);
    content.resize(*length);
    lines_[path.string()] =
        fmt::format("{} {:o} {}", to_valid_utf8(path.lexically_relative(folder_).string()),
                    status.st_mode & 0111, sha256_hex(content));
    paths_.insert(path);
    paths_.insert(real);
    return {};
  }

  const fs::path& folder_;
  fs::path real_folder_;
  std::string subject_;                               // what is looked at, for people
  std::array<std::map<std::string, bool>, 2> named_;  // by use: whether the word names a file
  bool has_met_file_ = false;
  Allowance allowance_{kMostLookedAt};
  std::size_t bytes_left_ = kMostBytes;
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
