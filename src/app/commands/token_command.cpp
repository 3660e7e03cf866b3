// `wright token`: who may use the server.
#include <fmt/format.h>

#include <boost/json/array.hpp>

#include "app/commands/commands.h"
#include "app/settings/paths.h"
#include "app/terminal/screen_text.h"
#include "app/wiring/stored_session.h"
#include "server/tokens.h"
#include "wright/store.h"

namespace wright::app {
namespace {

std::optional<server::Tokens> tokens_or_complain(CommandContext context) {
  const auto file = tokens_file(context.environment);
  if (!file.empty()) return std::optional<server::Tokens>(std::in_place, file);
  context.console.complain("there is no home folder to keep tokens in", "Set HOME.");
  return std::nullopt;
}

}  // namespace

ExitCode execute(const ListTokensCommand& command, CommandContext context) {
  auto tokens = tokens_or_complain(context);
  if (!tokens) return ExitCode::usage;
  const auto records = tokens->list();
  if (!records) return complain_about(records.error(), context.console);
  if (command.output == OutputFormat::json) {
    JsonArray list;
    for (const server::TokenRecord& record : *records) {
      JsonArray scopes;
      for (const server::Scope scope : record.scopes) scopes.push_back(Json(enum_name(scope)));
      JsonObject json{
          {"name", record.name}, {"scopes", std::move(scopes)}, {"created_at", record.created_at}};
      if (record.tenant) json["tenant"] = *record.tenant;
      list.push_back(std::move(json));
    }
    context.console.print_json(to_text(Json(std::move(list))) + "\n");
    return ExitCode::ok;
  }
  if (records->empty()) {
    context.console.note("  No tokens. Make one: wright token add NAME --scope read\n");
  }
  for (const server::TokenRecord& record : *records) {
    context.console.print(fmt::format("{}  {}{}\n", on_one_line(record.name),
                                      server::scope_names(record.scopes),
                                      record.tenant ? "  for " + *record.tenant : std::string()));
  }
  return ExitCode::ok;
}

ExitCode execute(const AddTokenCommand& command, CommandContext context) {
  auto tokens = tokens_or_complain(context);
  if (!tokens) return ExitCode::usage;
  auto scopes = server::scopes_from(command.scope);
  if (!scopes) {
    context.console.complain(scopes.error().message);
    return ExitCode::usage;
  }
  const auto token =
      tokens->add(command.name, std::move(*scopes), system_clock_ms(), command.tenant);
  if (!token) return complain_about(token.error(), context.console);
  context.console.print(*token + "\n");
  context.console.note("  It is not shown again: only its hash is kept.\n");
  return ExitCode::ok;
}

ExitCode execute(const RemoveTokenCommand& command, CommandContext context) {
  auto tokens = tokens_or_complain(context);
  if (!tokens) return ExitCode::usage;
  const auto removed = tokens->remove(command.name);
  if (!removed && removed.error().code == ErrorCode::not_found) {
    context.console.complain(removed.error().message, "`wright token` lists what there is.");
    return ExitCode::failed;
  }
  if (!removed) return complain_about(removed.error(), context.console);
  context.console.note("  Removed. Servers refuse it from now on.\n");
  return ExitCode::ok;
}

}  // namespace wright::app
