#include "entities/entity_testing.h"
#include "tools/sqlite/reader_testing.h"

namespace wright::entities {
namespace {

using tools::DatabaseFile;
using tools::Strings;

class DatabaseEntities : public ::testing::Test {
 protected:
  Json ask(std::string_view tool, std::string_view arguments) const {
    const auto tools = database_entity_tools(file.options(), [] { return kNoon; });
    return asked(tools.value(), tool, arguments);
  }
  Strings names(std::string_view tool, std::string_view arguments,
                std::string_view field = "name") const {
    return each(ask(tool, arguments), field);
  }

  DatabaseFile file{R"sql(
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, country TEXT, joined DATE, score REAL);
INSERT INTO customer VALUES (1, 'Ann', 'France', '2025-06-14', 9.5), (2, 'bob', 'Spain', '2024-01-01', 3),
  (3, 'Carl_%', NULL, NULL, NULL), (4, 'Dora', 'France', '2025-01-10 08:30:00', 'n/a');
CREATE TABLE "order; DROP" (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id),
  "total ""x""" NUMERIC, placed INTEGER, note TEXT);
INSERT INTO "order; DROP" VALUES (10, 1, 12.5, 1749945600, 'late delivery'), (11, 1, 100, 1749945600000, 'paid'),
  (12, 2, -3, 0, x'00ff');
CREATE VIEW french AS SELECT * FROM customer WHERE country = 'France';
CREATE VIEW broken AS SELECT * FROM nowhere;
CREATE TABLE empty_one (a);
)sql"};
};

TEST_F(DatabaseEntities, has_tables_and_views_as_types_and_columns_as_fields) {
  const Json schema = ask("get_schema", "{}");
  ASSERT_TRUE(schema.is_object()) << schema;
  Strings types;
  for (const Json& type : schema.at("entity_types").as_array()) {
    types.push_back(fmt::format("{} {}", std::string_view(type.at("name").as_string()),
                                to_text(type.at("fields"))));
  }
  EXPECT_EQ(
      types,
      (Strings{
          R"(customer {"id":"number","name":"text","country":"text","joined":"datetime","score":"number"})",
          R"(empty_one {"a":"any"})",
          R"(french {"id":"number","name":"text","country":"text","joined":"datetime","score":"number"})",
          R"(order; DROP {"id":"number","customer_id":"number","total \"x\"":"number","placed":"number","note":"text"})"}));
  EXPECT_EQ(schema.at("relationships").at(0).at("name").as_string(), "order; DROP.customer_id");
  const Json type = ask("describe_entity", R"({"entity_name":"Customer"})");
  EXPECT_EQ(type.at("count").as_int64(), 4);
  EXPECT_TRUE(type.at("fields").at(0).at("key").as_bool());
}

TEST_F(DatabaseEntities, are_found_by_every_tool) {
  EXPECT_EQ(names("query_entities", R"({"entity_type":"customer","conditions":[{"field":"country",
      "operator":"=","value":"France"}],"order_by":{"field":"score","direction":"DESC"}})"),
            (Strings{"Dora", "Ann"}));
  EXPECT_EQ(names("query_entities", R"({"entity_type":"customer","conditions":[{"field":"country",
      "operator":"!=","value":"France"}]})"),
            (Strings{"bob", "Carl_%"}));
  EXPECT_EQ(names("query_entities", R"({"entity_type":"customer","conditions":[{"field":"joined",
      "operator":">=","value":"2025-01-10"}]})"),
            (Strings{"Ann", "Dora"}));
  // A text is no number, however SQLite sorts it.
  EXPECT_EQ(names("number_range_search", R"({"entity_type":"order; DROP","field":"total \"x\"",
      "operator":"gt","value":0})",
                  "id"),
            (Strings{"11", "10"}));
  EXPECT_EQ(names("datetime_range_search", R"({"entity_type":"customer","field":"joined",
      "mode":"relative","relative_period":"last_week"})"),
            (Strings{"Ann"}));
  // Seconds and milliseconds.
  EXPECT_EQ(names("datetime_range_search", R"({"entity_type":"order; DROP","field":"placed",
      "mode":"relative","relative_period":"last_day"})",
                  "id"),
            (Strings{"10", "11"}));
  EXPECT_EQ(names("text_pattern_search", R"({"entity_type":"customer","field":"name",
      "pattern":"BOB","mode":"exact"})"),
            (Strings{"bob"}));
  EXPECT_EQ(names("text_pattern_search", R"({"entity_type":"customer","field":"name",
      "pattern":"_%"})"),
            (Strings{"Carl_%"}));
  EXPECT_EQ(names("enum_filter_search", R"({"entity_type":"customer","field":"country",
      "values":["France",null]})"),
            (Strings{"Ann", "Carl_%", "Dora"}));
  EXPECT_EQ(names("enum_filter_search", R"({"entity_type":"customer","field":"country",
      "values":["France",null],"exclude":true})"),
            (Strings{"bob"}));
  EXPECT_EQ(names("enum_filter_search", R"({"entity_type":"customer","field":"country",
      "values":["France"],"exclude":true})"),
            (Strings{"bob", "Carl_%"}));
  EXPECT_EQ(
      names("semantic_search", R"({"entity_type":"order; DROP","query":"deliveries late"})", "id"),
      (Strings{"10"}));
  EXPECT_EQ(to_text(ask("aggregate_entities", R"({"entity_type":"customer","operation":"COUNT",
      "group_by":"country"})")
                        .at("groups")),
            R"([{"group":"France","value":2,"count":2},{"group":null,"value":1,"count":1},)"
            R"({"group":"Spain","value":1,"count":1}])");
}

TEST_F(DatabaseEntities, are_found_in_upper_and_lower_case_of_every_alphabet) {
  file.execute(
      "INSERT INTO customer (id, name) VALUES (20, 'CAFÉ Ölmühle'), (21, 'café'), (22, 'CAFÉ "
      "(2.0)')");
  const auto found = [&](std::string_view rest) {
    return names("text_pattern_search",
                 fmt::format(R"({{"entity_type":"customer","field":"name",{}}})", rest));
  };
  EXPECT_EQ(found(R"("pattern":"CAFÉ","mode":"exact")"), (Strings{"café"}));
  EXPECT_EQ(found(R"("pattern":"café","mode":"starts_with")"),
            (Strings{"CAFÉ (2.0)", "CAFÉ Ölmühle", "café"}));
  EXPECT_EQ(found(R"("pattern":"ÖLMÜHLE","mode":"ends_with")"), (Strings{"CAFÉ Ölmühle"}));
  EXPECT_EQ(found(R"("pattern":"É (2.")"), (Strings{"CAFÉ (2.0)"}));
  EXPECT_EQ(found(R"("pattern":"CAFÉ","mode":"exact","case_sensitive":true)"), (Strings{}));
}

// Dora's score is 'n/a', which SQL takes for 0, or for more than any number.
TEST_F(DatabaseEntities, have_figures_of_numbers_alone) {
  const auto figure = [&](std::string_view operation, std::string_view field) {
    return ask("aggregate_entities",
               fmt::format(R"({{"entity_type":"customer","operation":"{}","field":"{}"}})",
                           operation, field));
  };
  EXPECT_EQ(figure("AVG", "score").at("value"), Json(6.25));
  EXPECT_EQ(figure("AVG", "score").at("note"),
            Json("1 value of score is no number and counted for nothing"));
  EXPECT_TRUE(figure("SUM", "name").at("value").is_null());
  EXPECT_EQ(figure("SUM", "name").at("note"),
            Json("4 values of name are no number and counted for nothing"));
  EXPECT_EQ(names("number_range_search", R"({"entity_type":"customer","field":"score",
      "operator":"gt","value":5})"),
            (Strings{"Ann"}));
  EXPECT_TRUE(names("number_range_search", R"({"entity_type":"customer","field":"name",
      "operator":"gt","value":5})")
                  .at(0)
                  .starts_with("invalid_argument: The field name of 'customer' is a text"));
  file.execute("UPDATE customer SET country = '7.5' WHERE id = 1");
  EXPECT_EQ(figure("SUM", "country").at("value"), Json(7.5)) << "a text that is a number";
}

TEST_F(DatabaseEntities, follow_foreign_keys_both_ways) {
  const Json out = ask("explore_relationships", R"({"start_entity_type":"order; DROP",
      "relationship_type":"order; DROP.customer_id","start_conditions":[{"field":"id",
      "operator":"=","value":11}]})");
  ASSERT_TRUE(out.is_object()) << out;
  ASSERT_EQ(out.at("count").to_number<int>(), 1);
  EXPECT_EQ(out.at("relations").at(0).at("to").at("name").as_string(), "Ann");
  const Json in = ask("explore_relationships", R"({"start_entity_type":"customer",
      "relationship_type":"order; DROP.customer_id","direction":"incoming",
      "start_conditions":[{"field":"name","operator":"=","value":"Ann"}]})");
  EXPECT_EQ(in.at("count").to_number<int>(), 2);
  EXPECT_TRUE(ask("explore_relationships", R"({"start_entity_type":"french",
      "relationship_type":"order; DROP.customer_id"})")
                  .is_string());
}

TEST_F(DatabaseEntities, tell_what_exists_and_paste_nothing) {
  EXPECT_TRUE(names("query_entities", R"({"entity_type":"custmer"})")[0].starts_with(
      "not_found: There is no entity type 'custmer'; there are: customer, "));
  EXPECT_TRUE(names("query_entities", R"({"entity_type":"customer","order_by":{"field":"nam"}})")[0]
                  .starts_with("not_found: 'customer' has no field 'nam'; its fields are: name, "));
  EXPECT_TRUE(
      names("query_entities", R"({"entity_type":"sqlite_schema"})")[0].starts_with("not_found"));
  EXPECT_TRUE(names("query_entities", R"({"entity_type":"customer","conditions":[{"field":
      "name\" = 'x' OR \"1","operator":"=","value":"1"}]})")[0]
                  .starts_with("not_found"));
  EXPECT_EQ(names("query_entities", R"({"entity_type":"customer","conditions":[{"field":"name",
      "operator":"=","value":"' OR '1'='1"}]})"),
            (Strings{}));
  EXPECT_EQ(names("query_entities", R"({"entity_type":"customer"})").size(), 4U);
}

TEST_F(DatabaseEntities, change_nothing_and_say_why_there_is_nothing) {
  const std::string before = tools::content_of(file.path());
  const auto all = database_entity_tools(file.options()).value();
  for (const Tool& tool : all) {
    EXPECT_EQ(tool.spec.options.effect, Effect::read);
  }
  ask("get_schema", "{}");
  EXPECT_EQ(tools::content_of(file.path()), before);
  const auto none = database_entity_tools({}).value();
  EXPECT_EQ(asked(none, "get_schema", "{}"),
            Json("not_found: No database was given to these tools; whoever starts them must name "
                 "one"));
  const TemporaryFolder folder;
  folder.write("text.db", "this is no database, but it is long enough to look at");
  SqliteReaderOptions text;
  text.databases = {{.path = folder / "text.db"}};
  EXPECT_TRUE(asked(database_entity_tools(text).value(), "get_schema", "{}").is_string());
}

TEST_F(DatabaseEntities, are_not_waited_for_for_ever) {
  file.execute(
      "CREATE TABLE many (x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
      "LIMIT 200000) INSERT INTO many SELECT 'row number ' || i FROM n;"
      "CREATE VIEW slow AS SELECT a.x AS x FROM many a, many b, many c;");
  SqliteReaderOptions options = file.options();
  options.deadline = std::chrono::milliseconds(200);
  const Json answer = asked(database_entity_tools(options).value(), "aggregate_entities",
                            R"({"entity_type":"slow","operation":"COUNT"})");
  ASSERT_TRUE(answer.is_string());
  EXPECT_TRUE(std::string_view(answer.get_string()).starts_with("timeout: ")) << answer;
}

}  // namespace
}  // namespace wright::entities
