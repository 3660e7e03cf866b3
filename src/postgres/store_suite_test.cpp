// The stores of this folder, for the suite of src/store: a place is a schema.
#include "store/store_suite_testing.h"

#include <fmt/format.h>

#include "postgres/open.h"
#include "postgres/cluster_testing.h"

namespace wright::store {
namespace {

// Two stores of one test at the same place are in the same schema.
std::string schema_at(const std::filesystem::path& place) {
  std::string name = "at";
  for (const char c : place.string()) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    name += is_plain ? std::string(1, c) : fmt::format("_{:x}", static_cast<unsigned char>(c));
  }
  constexpr std::size_t kLongest = 60;
  return name.size() <= kLongest ? name : "at" + name.substr(name.size() - kLongest);
}

}  // namespace

std::vector<StoreKind> kinds_of_this_program() {
  return {StoreKind::postgres, StoreKind::postgres_step_by_step};
}

Result<std::unique_ptr<Store>> open_store_of(StoreKind kind, const std::filesystem::path& place,
                                             const Clocks& clocks) {
  const auto caution =
      kind == StoreKind::postgres ? postgres::Caution::as_needed : postgres::Caution::always;
  return postgres::open_store(postgres::TestCluster::instance().url(),
                              {.schema = schema_at(place), .clock = clocks}, caution);
}

// Sequences forget nothing; a counter in a table is rolled back with what it counted.
void number_without_gaps(StoreKind, const std::filesystem::path& place) {
  const std::string schema = schema_at(place);
  postgres::TestCluster& cluster = postgres::TestCluster::instance();
  cluster.run(fmt::format("CREATE TABLE {}.numbers (name TEXT PRIMARY KEY, last BIGINT)", schema));
  cluster.run(fmt::format(
      "CREATE FUNCTION {0}.number() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE next BIGINT; "
      "BEGIN INSERT INTO {0}.numbers AS counted VALUES (TG_TABLE_NAME, 1) ON CONFLICT (name) "
      "DO UPDATE SET last = counted.last + 1 RETURNING counted.last INTO next; "
      "IF TG_TABLE_NAME = 'agent_events' THEN NEW.sequence := next; "
      "PERFORM setval('{0}.agent_events_sequence_seq', next); "
      "ELSE NEW.id := next; PERFORM setval('{0}.' || TG_TABLE_NAME || '_id_seq', next); END IF; "
      "RETURN NEW; END $$",
      schema));
  for (const char* table : {"agent_sessions", "agent_messages", "agent_tool_calls", "agent_waits",
                            "agent_events", "agent_runners"}) {
    cluster.run(
        fmt::format("CREATE TRIGGER number BEFORE INSERT ON {0}.{1} FOR EACH ROW "
                    "EXECUTE FUNCTION {0}.number()",
                    schema, table));
  }
}

}  // namespace wright::store
