// `wright migrate`: all sessions from one store to another.
#include <fmt/format.h>
#include <boost/json/object.hpp>

#include <filesystem>

#include "app/commands/commands.h"
#include "app/terminal/figures.h"
#include "app/wiring/session_store.h"
#include "app/wiring/stored_session.h"
#include "core/try.h"
#include "postgres/place.h"
#include "postgres/table_copy.h"
#include "store/lease.h"
#include "store/runner_words.h"
#include "wright/driver.h"

namespace wright::app {
namespace {

Result<std::unique_ptr<postgres::TableStore>> tables_at(const StorePlace& place) {
  if (place.is_postgres()) return postgres::open_postgres_tables(place.uri, place.schema);
  return postgres::open_sqlite_tables(place.file);
}

Result<bool> is_unfinished(const StorePlace& place) {
  return place.is_postgres() ? postgres::is_unfinished_postgres(place.uri, place.schema)
                             : postgres::is_unfinished_sqlite(place.file);
}

// Whatever names they have.
Result<bool> is_same(const StorePlace& from, const StorePlace& to) {
  if (from.is_postgres() != to.is_postgres()) return false;
  if (from.is_postgres()) {
    if (from.schema != to.schema) return false;
    if (from.uri == to.uri) return true;
    return postgres::is_same_postgres(from.uri, to.uri);
  }
  std::error_code error;  // of one that is not there, which is not the other
  return from.file == to.file || std::filesystem::equivalent(from.file, to.file, error);
}

// What is driven changes while it is copied.
Result<void> check_quiet(Store& store) {
  TRY(end_dead_runners(store));
  const auto runners = TRY(store.get_runners());
  const store::Moment now = store::moment_of(Clocks());
  for (const Runner& runner : runners) {
    if (!store::is_alive(runner, now)) continue;
    return fail(ErrorCode::unavailable,
                fmt::format("Sessions are being driven by {}: end workers and runs first",
                            store::runner_in_words(runner.name)));
  }
  return {};
}

Result<std::vector<postgres::CopyProgress>> migrate(const MigrateCommand& command,
                                                    const Settings& settings,
                                                    CommandContext context) {
  const auto from = TRY(store_place_from(command.from, context.environment));
  const auto to = TRY(store_place_from(command.to, context.environment));
  if (from.is_in_memory() || to.is_in_memory()) {
    return fail(ErrorCode::invalid_argument,
                "What is in memory is gone when the command ends: give a file or a PostgreSQL");
  }
  const bool is_one = TRY(is_same(from, to));
  if (is_one) {
    return fail(ErrorCode::invalid_argument, "--from and --to are the same store");
  }
  // Opening brings the tables of both to this version.
  const auto source = TRY(open_existing_store(from, settings));
  if (!source) {
    return fail(ErrorCode::not_found,
                fmt::format("There are no sessions in {}", postgres::shown_place(command.from)));
  }
  TRY(check_quiet(*source));
  const bool goes_on = TRY(is_unfinished(to));
  if (!goes_on) {
    const auto target = TRY(open_store(to, settings));
    TRY(check_quiet(*target));
  }
  const auto source_tables = TRY(tables_at(from));
  const auto target_tables = TRY(tables_at(to));
  std::int64_t next = 0;
  return postgres::copy_tables(
      *source_tables, *target_tables, [&](const postgres::CopyProgress& progress) {
        if (progress.rows < next && progress.rows > 200) return;
        next = progress.rows + 5'000;
        context.console.note(
            fmt::format("  {}: {}\n", progress.table, show_counted(progress.rows, "row")));
      });
}

}  // namespace

ExitCode execute(const MigrateCommand& command, CommandContext context) {
  const auto settings = settings_or_complain(command.settings, context);
  if (!settings) return ExitCode::usage;
  const auto copied = migrate(command, *settings, context);
  if (!copied) return complain_about(copied.error(), context.console);
  if (command.output == OutputFormat::json) {
    JsonObject rows;
    for (const auto& table : *copied) rows[table.table] = table.rows;
    context.console.print_json(to_text(Json(std::move(rows))) + "\n");
    return ExitCode::ok;
  }
  for (const auto& table : *copied) {
    context.console.print(fmt::format("{:<18} {:>12}, the same in both\n", table.table,
                                      show_counted(table.rows, "row")));
  }
  return ExitCode::ok;
}

}  // namespace wright::app
