// `wright test`: runs cassettes, one line a file, and shows what differs.
#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "app/commands/commands.h"
#include "app/commands/replay_view.h"
#include "app/settings/file_output.h"
#include "app/terminal/figures.h"
#include "app/terminal/interruption.h"
#include "app/terminal/screen_text.h"
#include "app/wiring/replay_setup.h"
#include "core/enum_names.h"
#include "core/try.h"
#include "wright/replay.h"

namespace wright::app {
namespace {

constexpr std::uintmax_t kLargestCassette = 256U << 20U;

Result<std::string> read_cassette(const std::filesystem::path& path) {
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind == std::filesystem::file_type::not_found) {
    return fail(ErrorCode::not_found, "There is no such file");
  }
  if (kind != std::filesystem::file_type::regular) {
    return fail(ErrorCode::invalid_argument, "It is not a file");
  }
  if (std::filesystem::file_size(path, error) > kLargestCassette || error) {
    return fail(ErrorCode::limit_reached, error ? error.message() : "It is too large");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) return fail(ErrorCode::permission_denied, "It cannot be opened");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) return fail(ErrorCode::storage, "It cannot be read");
  return text;
}

bool lies_below(const std::filesystem::path& file, const std::filesystem::path& folder) {
  std::error_code error;
  const auto real_file = std::filesystem::weakly_canonical(file, error);
  if (error) return false;
  const auto real_folder = std::filesystem::canonical(folder, error);
  return !error && std::ranges::mismatch(real_folder, real_file).in1 == real_folder.end();
}

enum class Verdict : std::uint8_t { ok, differs, updated, broken };
WRIGHT_ENUM(Verdict, ok, differs, updated, broken)

Colour verdict_colour(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok: return Colour::green;
    case Verdict::updated: return Colour::yellow;
    case Verdict::differs:
    case Verdict::broken: return Colour::red;
  }
  return Colour::red;
}

struct Tested {
  std::string file = {};
  Verdict verdict = Verdict::broken;
  std::string message = {};  // why it is broken, or was not updated
  ReplayReport report = {};
};

class TestRun {
 public:
  TestRun(const TestCommand& command, const Settings& settings, CommandContext context)
      : command_(command), settings_(settings), context_(context) {
    interruption_.watch({});
  }

  ExitCode run() {
    JsonArray files;
    std::map<Verdict, std::int64_t> counts;
    for (const std::string& file : command_.files) {
      const Tested tested = test(file);
      if (interruption_.has_happened()) return ExitCode::interrupted;
      ++counts[tested.verdict];
      if (command_.output == OutputFormat::json) {
        files.push_back(json_of(tested));
      } else {
        print(tested);
      }
    }
    conclude(counts, std::move(files));
    return counts[Verdict::differs] + counts[Verdict::broken] == 0 ? ExitCode::ok
                                                                   : ExitCode::failed;
  }

 private:
  Tested test(const std::string& file) {
    Tested tested{.file = file};
    if (const auto done = replay_into(tested); !done) {
      tested.verdict = Verdict::broken;
      tested.message = done.error().message;
    }
    return tested;
  }

  Result<void> replay_into(Tested& tested) {
    const auto text = TRY(read_cassette(tested.file));
    const auto recorded = TRY(cassette_from(text));
    SettingFlags flags =
        flags_for_replay(settings_, recorded, command_.tools, RecordTrust::foreign);
    // When the session was recorded, this file was not there.
    flags.hidden.push_back(std::filesystem::absolute(tested.file));
    const auto settings = TRY(load_settings(flags, context_.environment));
    const auto agent =
        TRY(agent_for_replay(recorded, settings, command_.tools, context_.environment));
    const Redactor& redactor = settings.redactor();
    tested.report = TRY(wright::replay(agent.agent, recorded,
                                       {.tools = command_.tools,
                                        .after_difference = command_.after_difference(),
                                        .redactor = redactor,
                                        .stop = interruption_.token()}));
    tested.verdict = tested.report.differences.empty() ? Verdict::ok : Verdict::differs;
    if (tested.verdict == Verdict::ok) return {};
    if (command_.tools == ToolSource::live && lies_below(tested.file, settings.base_path())) {
      // Rewritten, it would differ again where commands and the index find it.
      tested.message =
          "The file lies in the folder that its tools read. The file tools do not see it, but "
          "commands and the index of entities do: keep it outside, or name another folder with "
          "--base-path";
    }
    const auto& missing = tested.report.missing_tools;
    if (!missing.empty()) tested.message = about_missing(missing);
    if (command_.rewriting == Rewriting::never) return {};
    if (!tested.report.is_complete) {
      tested.message =
          "It cannot be updated: its record ends before the session does now. Record "
          "it again";
      return {};
    }
    // What they answered would be exchanged for an error that says that they are not there.
    if (!missing.empty()) {
      tested.message.insert(0, "It cannot be updated. ");
      return {};
    }
    const std::string changed = cassette_text(updated(recorded, tested.report), redactor);
    TRY(write_file(tested.file, changed));
    tested.verdict = Verdict::updated;
    return {};
  }

  std::string about_missing(const std::vector<std::string>& tools) const {
    std::vector<std::string> names;
    names.reserve(tools.size());
    for (const std::string& name : tools) names.push_back(on_one_line(to_valid_utf8(name)));
    const bool may_write = command_.tools == ToolSource::record || !settings_.writable().empty();
    return fmt::format("{} answered when it was recorded, and the agent does not have {} now. {}",
                       fmt::join(names, ", "), names.size() == 1 ? "it" : "them",
                       may_write
                           ? "If that is as it should be, record it again"
                           : "--set agent.writable=. lets live tools change files in --base-path");
  }

  void print(const Tested& tested) {
    Console& console = context_.console;
    const Terminal& terminal = console.output();
    std::string about;
    if (tested.verdict == Verdict::broken) {
      about = tested.message;
    } else if (tested.verdict == Verdict::ok) {
      about = work_of(tested.report);
    } else {
      about = place_of(tested.report.differences.front());
    }
    console.print(fmt::format(
        "{}  {}  {}\n",
        painted(padded(enum_name(tested.verdict), 7), verdict_colour(tested.verdict), terminal),
        on_one_line(to_valid_utf8(tested.file)),
        painted(on_one_line(about), Colour::dim, terminal)));
    if (tested.verdict == Verdict::broken || tested.verdict == Verdict::ok) return;
    bool is_first = true;
    for (const Difference& difference : tested.report.differences) {
      if (!std::exchange(is_first, false)) {
        console.print(fmt::format("  {}\n", place_of(difference)));
      }
      console.print(difference_view(difference, 2, terminal));
    }
    if (!tested.message.empty()) console.print(fmt::format("  {}\n", tested.message));
  }

  static Json json_of(const Tested& tested) {
    JsonObject json{{"file", to_valid_utf8(tested.file)}, {"status", enum_name(tested.verdict)}};
    if (!tested.message.empty()) json["message"] = tested.message;
    if (tested.verdict == Verdict::broken) return json;
    for (const auto& [key, value] : report_json(tested.report)) json[key] = value;
    return json;
  }

  void conclude(std::map<Verdict, std::int64_t>& counts, JsonArray files) {
    if (command_.output == OutputFormat::json) {
      JsonObject json{{"files", std::move(files)}};
      for (const Verdict verdict :
           {Verdict::ok, Verdict::differs, Verdict::updated, Verdict::broken}) {
        json[enum_name(verdict)] = counts[verdict];
      }
      context_.console.print_json(to_pretty_text(json) + "\n");
      return;
    }
    std::string text = show_counted(std::ssize(command_.files), "file") + ":";
    const char* separator = " ";
    for (const auto& [verdict, count] : counts) {
      text += fmt::format("{}{} {}", std::exchange(separator, ", "), count, enum_name(verdict));
    }
    context_.console.print(text + "\n");
  }

  const TestCommand& command_;
  const Settings& settings_;  // before any cassette has its say
  CommandContext context_;
  Interruption interruption_;
};

}  // namespace

ExitCode execute(const TestCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  return TestRun(command, *settings, context).run();
}

}  // namespace wright::app
