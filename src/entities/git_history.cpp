#include "entities/git_history.h"

#include <algorithm>
#include <charconv>

#include "core/regular_file.h"

namespace wright::entities {
namespace {

constexpr std::chrono::seconds kPatienceWithGit{60};
constexpr std::size_t kMostHistory = std::size_t{512} << 20;

// The first line of a small file; empty when there is none.
std::string first_line(const std::filesystem::path& file) {
  const std::string line = start_of_regular_file(file, 4096);
  return line.substr(0, line.find_first_of("\r\n"));
}

bool is_commit(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// The pieces between NUL bytes.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : rest_(text) {}
  std::optional<std::string_view> next() {
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = std::min(rest_.find('\0'), rest_.size());
    const std::string_view piece = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return piece;
  }

 private:
  std::string_view rest_;
};

// "<mode> <type> <hash>\t<path>", of files that are no links to other repositories.
CommittedFiles read_tree(std::string_view output) {
  CommittedFiles files;
  Pieces pieces(output);
  while (const auto piece = pieces.next()) {
    const std::size_t tab = piece->find('\t');
    if (tab == std::string_view::npos) continue;
    const std::string_view head = piece->substr(0, tab);
    if (!head.contains(" blob ")) continue;
    files[std::string(piece->substr(tab + 1))].hash = head.substr(head.rfind(' ') + 1);
  }
  return files;
}

// "\x01<commit> <seconds>": what the log has before the files of a commit. Nothing for a file.
std::optional<std::int64_t> commit_time(std::string_view piece) {
  const std::size_t space = piece.find(' ');
  if (!piece.starts_with('\x01') || space == std::string_view::npos) return std::nullopt;
  if (!is_commit(piece.substr(1, space - 1))) return std::nullopt;
  std::int64_t seconds = 0;
  std::from_chars(piece.data() + space + 1, piece.data() + piece.size(), seconds);
  return seconds * 1000;
}

// Commits stand in the log with the newest first.
CommittedFiles with_times(CommittedFiles files, std::string_view log) {
  Pieces pieces(log);
  std::int64_t time_ms = -1;
  while (auto piece = pieces.next()) {
    if (piece->starts_with('\n')) piece->remove_prefix(1);
    if (const auto time = commit_time(*piece)) {
      time_ms = *time;
      continue;
    }
    const auto file = files.find(std::string(*piece));
    if (file != files.end() && file->second.committed_ms < 0) file->second.committed_ms = time_ms;
  }
  return files;
}

}  // namespace

std::vector<std::filesystem::path> GitHistory::folders_of(const std::filesystem::path& base) {
  std::error_code problem;
  for (auto folder = base;; folder = folder.parent_path()) {
    const auto mark = folder / ".git";
    if (std::filesystem::is_directory(mark, problem)) return {mark};
    if (std::filesystem::is_regular_file(mark, problem)) {
      constexpr std::string_view kPrefix = "gitdir: ";
      const std::string line = first_line(mark);
      if (!line.starts_with(kPrefix)) return {};
      const auto git = folder / line.substr(kPrefix.size());
      if (!std::filesystem::is_directory(git, problem)) return {};
      std::vector<std::filesystem::path> made{git, mark};
      const std::string shared = first_line(git / "commondir");
      if (!shared.empty() && std::filesystem::is_directory(git / shared, problem)) {
        made.push_back(git / shared);
      }
      return made;
    }
    if (folder == folder.parent_path()) return {};
  }
}

GitHistory::GitHistory(const Sandbox& sandbox, std::filesystem::path base)
    : sandbox_(sandbox), base_(std::move(base)) {}

std::optional<std::string> GitHistory::output_of(std::vector<std::string> arguments,
                                                 const std::stop_token& stop) const {
  // A repository's own settings may name programs; none of them is needed for these questions.
  Command command{
      .arguments = {"git", "-c", "core.fsmonitor=false", "-c", "log.showSignature=false", "-c",
                    "core.quotePath=false", "--no-pager"},
      .working_directory = base_,
      .environment = {{"GIT_OPTIONAL_LOCKS", "0"},
                      {"GIT_CONFIG_NOSYSTEM", "1"},
                      {"GIT_TERMINAL_PROMPT", "0"},
                      // In the sandbox, what lies above the base is another file system.
                      {"GIT_DISCOVERY_ACROSS_FILESYSTEM", "1"},
                      {"GIT_NO_LAZY_FETCH", "1"},
                      {"LC_ALL", "C"}}};
  for (std::string& argument : arguments) command.arguments.push_back(std::move(argument));
  std::string output;
  const CommandOptions options{
      .timeout = kPatienceWithGit,
      .stop = stop,
      .kept_bytes = 4096,
      .on_output = [&](OutputStream stream, std::string_view piece) {
        if (stream == OutputStream::output && output.size() < kMostHistory) {
          output += piece;
        }
      }};
  const auto finished = sandbox_.run(command, options);
  if (!finished || finished->exit_code != 0 || output.size() >= kMostHistory) return std::nullopt;
  return output;
}

std::optional<std::string> GitHistory::head(const std::stop_token& stop) const {
  auto output = output_of({"rev-parse", "--verify", "--quiet", "HEAD^{commit}"}, stop);
  if (!output) return std::nullopt;
  while (output->ends_with('\n')) output->pop_back();
  return is_commit(*output) ? output : std::nullopt;
}

std::optional<GitHistory::Changes> GitHistory::changes_since(const std::string& known_head,
                                                             const std::stop_token& stop) const {
  const auto tree = output_of({"ls-tree", "-r", "-z", "HEAD"}, stop);
  if (!tree) return std::nullopt;
  const bool continues =
      is_commit(known_head) &&
      output_of({"merge-base", "--is-ancestor", known_head, "HEAD"}, stop).has_value();
  // Merges count where they differ from every side that they merge.
  const auto log =
      output_of({"log", "--format=%x01%H %ct", "-c", "--name-only", "-z", "--no-renames",
                 "--relative", continues ? known_head + "..HEAD" : "HEAD", "--", "."},
                stop);
  if (!log) return std::nullopt;
  return Changes{with_times(read_tree(*tree), *log), !continues};
}

}  // namespace wright::entities
