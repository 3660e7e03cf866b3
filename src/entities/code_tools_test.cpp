#include <fcntl.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "entities/entity_testing.h"

namespace wright::entities {
namespace {

using tools::Strings;

void set_time(const std::filesystem::path& file, std::int64_t time_ms) {
  const timespec times[2] = {{time_ms / 1000, 0}, {time_ms / 1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
}

// A small program in several languages.
class EntityTools : public ::testing::Test {
 protected:
  EntityTools() {
    tree.files()
        .write("src/parser.cpp",
               "// Reads requests.\n"
               "#include \"parser.h\"\n"
               "namespace net {\n"
               "Parser::Parser() {}\n"
               "// Parses one HTTP request.\n"
               "int Parser::parseHttpRequest(const char* text) {\n"
               "  return helper(text);\n"
               "}\n"
               "}  // namespace net\n"
               "int parse_header(int a, int b) {\n"
               "  return a + b;\n"
               "}\n")
        .write("src/parser.h",
               "namespace net {\n"
               "class Parser {\n"
               " public:\n"
               "  Parser();\n"
               "  int parseHttpRequest(const char* text);\n"
               "  int size() const { return size_; }\n"
               " private:\n"
               "  int size_ = 0;\n"
               "};\n"
               "struct Empty {};\n"
               "}\n"
               "int helper(const char* text);\n")
        .write("tools/report.py",
               "\"\"\"Writes reports.\"\"\"\n"
               "class Report:\n"
               "    def render(self):\n"
               "        return parse_row(1)\n"
               "\n"
               "    def _hidden(self):\n"
               "        pass\n"
               "\n"
               "\n"
               "def parse_row(row):\n"
               "    \"\"\"Splits a row into cells.\"\"\"\n"
               "    return row\n")
        .write("web/app.ts",
               "export class View {\n"
               "  private title: string = '';\n"
               "  render(data: { a: number }): string {\n"
               "    return `<b>${data.a}}</b>`;\n"
               "  }\n"
               "}\n"
               "export function mount() {\n"
               "  new View();\n"
               "}\n")
        .write("README.md", "# Title\n\ntext\n");
    set_time(tree.files() / "src/parser.cpp", kNoon - 3600 * 1000);
    set_time(tree.files() / "src/parser.h", kNoon - 3 * 86400 * 1000LL);
    set_time(tree.files() / "tools/report.py", kNoon - 20 * 86400 * 1000LL);
    set_time(tree.files() / "web/app.ts", kNoon - 300 * 86400 * 1000LL);
    set_time(tree.files() / "README.md", kNoon - 500 * 86400 * 1000LL);
  }

  Strings names(std::string_view tool, std::string_view arguments) {
    return each(tree.ask(tool, arguments), "name");
  }

  CodeTree tree;
};

TEST_F(EntityTools, know_where_every_definition_starts_and_ends) {
  const Json answer =
      tree.ask("query_entities",
               R"({"entity_type":"any","conditions":[{"field":"type","operator":"IN",
          "value":["class","function","method","struct"]}],"limit":50})");
  Strings found;
  for (const Json& entity : answer.at("entities").as_array()) {
    const auto& e = entity.as_object();
    found.push_back(fmt::format("{} {} {}:{}-{}", std::string_view(e.at("type").as_string()),
                                std::string_view(e.at("name").as_string()),
                                std::string_view(e.at("file").as_string()),
                                e.at("start_line").as_int64(), e.at("end_line").as_int64()));
  }
  EXPECT_EQ(
      found,
      (Strings{"method Parser src/parser.cpp:4-4", "method parseHttpRequest src/parser.cpp:6-8",
               "function parse_header src/parser.cpp:10-12", "class Parser src/parser.h:2-9",
               "method size src/parser.h:6-6", "struct Empty src/parser.h:10-10",
               "class Report tools/report.py:2-7", "method render tools/report.py:3-4",
               "method _hidden tools/report.py:6-7", "function parse_row tools/report.py:10-12",
               "class View web/app.ts:1-6", "method render web/app.ts:3-5",
               "function mount web/app.ts:7-9"}));
  EXPECT_EQ(answer.at("total").as_int64(), 13);
  EXPECT_FALSE(answer.at("truncated").as_bool());
}

TEST_F(EntityTools, tell_all_fields_of_an_entity) {
  const Json answer = tree.ask(
      "query_entities",
      R"({"entity_type":"method","conditions":[{"field":"name","operator":"=","value":"_hidden"}]})");
  ASSERT_TRUE(answer.is_object()) << answer;
  EXPECT_EQ(to_text(answer.at("entities").at(0)),
            R"({"name":"_hidden","type":"method","file":"tools/report.py","start_line":6,)"
            R"x("end_line":7,"line_count":2,"language":"Python","signature":"(self)",)x"
            R"("last_modified":"2025-05-26T12:00:00.000Z","visibility":"protected",)"
            R"("parent":"Report","qualified_name":"Report._hidden"})");
}

TEST_F(EntityTools, compare_by_every_operator) {
  const auto functions = [&](std::string_view condition) {
    return names("query_entities",
                 fmt::format(R"({{"entity_type":"function","conditions":[{}]}})", condition));
  };
  EXPECT_EQ(functions(R"({"field":"name","operator":"=","value":"mount"})"), (Strings{"mount"}));
  EXPECT_EQ(functions(R"({"field":"name","operator":"!=","value":"mount"})"),
            (Strings{"parse_header", "parse_row"}));
  EXPECT_EQ(functions(R"({"field":"start_line","operator":">","value":7})"),
            (Strings{"parse_header", "parse_row"}));
  EXPECT_EQ(functions(R"({"field":"start_line","operator":">=","value":"7"})"),
            (Strings{"parse_header", "parse_row", "mount"}));
  EXPECT_EQ(functions(R"({"field":"start_line","operator":"<","value":10})"), (Strings{"mount"}));
  EXPECT_EQ(functions(R"({"field":"start_line","operator":"<=","value":6.5})"), (Strings{}));
  EXPECT_EQ(functions(R"({"field":"name","operator":"CONTAINS","value":"se_r"})"),
            (Strings{"parse_row"}));
  EXPECT_EQ(functions(R"({"field":"name","operator":"CONTAINS","value":"SE_R"})"), (Strings{}));
  EXPECT_EQ(functions(R"({"field":"name","operator":"STARTS WITH","value":"parse"})"),
            (Strings{"parse_header", "parse_row"}));
  EXPECT_EQ(functions(R"({"field":"name","operator":"starts_with","value":"Parse"})"), (Strings{}));
  EXPECT_EQ(functions(R"({"field":"name","operator":"ENDS WITH","value":"row"})"),
            (Strings{"parse_row"}));
  EXPECT_EQ(functions(R"({"field":"name","operator":"REGEX","value":"^p.*r$"})"),
            (Strings{"parse_header"}));
  EXPECT_EQ(functions(R"({"field":"name","operator":"GLOB","value":"parse_*[wr]"})"),
            (Strings{"parse_header", "parse_row"}));
  EXPECT_EQ(functions(R"({"field":"name","operator":"IN","value":["mount","nothing"]})"),
            (Strings{"mount"}));
  EXPECT_EQ(functions(R"({"field":"parent","operator":"=","value":null})"),
            (Strings{"parse_header", "parse_row", "mount"}));
  EXPECT_EQ(functions(R"({"field":"last_modified","operator":">","value":"2025-06-01"})"),
            (Strings{"parse_header"}));
}

TEST_F(EntityTools, sort_and_limit) {
  const Json answer = tree.ask(
      "query_entities",
      R"({"entity_type":"class","order_by":{"field":"line_count","direction":"DESC"},"limit":2})");
  EXPECT_EQ(each(answer, "name"), (Strings{"Parser", "Report"}));
  EXPECT_EQ(answer.at("count").as_int64(), 2);
  EXPECT_EQ(answer.at("total").as_int64(), 3);
  EXPECT_TRUE(answer.at("truncated").as_bool());
  const Json refused = tree.ask("query_entities", R"({"entity_type":"class","limit":51})");
  EXPECT_NE(refused.as_string().find("limit"), std::string::npos) << refused;
}

// The number for all types is not counted one by one.
TEST_F(EntityTools, count_what_changed_alike_for_all_types_and_for_each) {
  const auto total = [&](std::string_view type, std::string_view rest) {
    return tree
        .ask("datetime_range_search",
             fmt::format(R"({{"entity_type":"{}","field":"last_modified",{}}})", type, rest))
        .at("total")
        .as_int64();
  };
  const Json types = tree.ask("aggregate_entities",
                              R"({"entity_type":"any","operation":"COUNT","group_by":"type"})");
  for (const std::string_view range :
       {R"("mode":"after","datetime":"2025-06-01")", R"("mode":"before","datetime":"2025-06-01")",
        R"("mode":"after","datetime":"1990-01-01")"}) {
    std::int64_t sum = 0;
    for (const Json& group : types.at("groups").as_array()) {
      sum += total(group.at("group").as_string(), range);
    }
    EXPECT_GT(sum, 0) << range;
    EXPECT_EQ(total("any", range), sum) << range;
  }
}

TEST_F(EntityTools, find_by_numbers) {
  const auto classes = [&](std::string_view rest) {
    return names("number_range_search",
                 fmt::format(R"({{"entity_type":"class","field":"line_count",{}}})", rest));
  };
  EXPECT_EQ(classes(R"("operator":"gt","value":6)"), (Strings{"Parser"}));
  EXPECT_EQ(classes(R"("operator":"gte","value":6)"), (Strings{"Parser", "Report", "View"}));
  EXPECT_EQ(classes(R"("operator":"lt","value":8)"), (Strings{"Report", "View"}));
  EXPECT_EQ(classes(R"("operator":"lte","value":5)"), (Strings{}));
  EXPECT_EQ(classes(R"("operator":"equal","value":8)"), (Strings{"Parser"}));
  EXPECT_EQ(classes(R"("operator":"between","value":6,"upper_value":8)"),
            (Strings{"Parser", "Report", "View"}));
  EXPECT_EQ(classes(R"("operator":"approximately","value":7,"tolerance":1)"),
            (Strings{"Parser", "Report", "View"}));
  EXPECT_EQ(classes(R"("operator":"rounded_equal","value":10,"round_to":5)"), (Strings{"Parser"}));
  EXPECT_EQ(classes(R"("operator":"between","value":6)")[0],
            "invalid_argument: Missing required parameter: upper_value (needed with operator "
            "between)");
  EXPECT_EQ(classes(R"("operator":"rounded_equal","value":10,"round_to":0)")[0],
            "invalid_argument: round_to must be greater than 0");
  EXPECT_EQ(classes(R"("operator":"rounded_equal","value":1e308,"round_to":1e-308)")[0],
            "invalid_argument: round_to is too small for so large a value: every number would be "
            "equal to it");
  EXPECT_EQ(classes(R"("operator":"gte","value":6,"upper_value":7)")[0],
            "invalid_argument: upper_value belongs to the operator between; gte does not look at "
            "it: leave it out, or use between");
  EXPECT_TRUE(classes(R"("operator":"equal","value":6,"tolerance":1)")[0].starts_with(
      "invalid_argument: tolerance belongs to the operator approximately;"));
  EXPECT_TRUE(classes(R"("operator":"equal","value":6,"round_to":5)")[0].starts_with(
      "invalid_argument: round_to belongs to the operator rounded_equal;"));
}

TEST_F(EntityTools, find_by_time_with_the_clock_they_were_given) {
  const auto files = [&](std::string_view rest) {
    return each(
        tree.ask("datetime_range_search",
                 fmt::format(R"({{"entity_type":"file","field":"last_modified",{}}})", rest)),
        "file");
  };
  EXPECT_EQ(files(R"("mode":"relative","relative_period":"last_minute")"), (Strings{}));
  EXPECT_EQ(files(R"("mode":"relative","relative_period":"last_hour")"),
            (Strings{"src/parser.cpp"}));
  EXPECT_EQ(files(R"("mode":"relative","relative_period":"last_day")"),
            (Strings{"src/parser.cpp"}));
  EXPECT_EQ(files(R"("mode":"relative","relative_period":"last_week")"),
            (Strings{"src/parser.cpp", "src/parser.h"}));
  EXPECT_EQ(files(R"("mode":"relative","relative_period":"last_month")"),
            (Strings{"src/parser.cpp", "src/parser.h", "tools/report.py"}));
  EXPECT_EQ(files(R"("mode":"relative","relative_period":"last_year")"),
            (Strings{"src/parser.cpp", "src/parser.h", "tools/report.py", "web/app.ts"}));
  EXPECT_EQ(files(R"("mode":"before","datetime":"2025-01-01")"),
            (Strings{"web/app.ts", "README.md"}));
  EXPECT_EQ(files(R"("mode":"after","datetime":"2025-06-12T12:00:00Z")"),
            (Strings{"src/parser.cpp"}));
  // All of the 12th counts as the 12th.
  EXPECT_EQ(files(R"("mode":"after","datetime":"2025-06-12","precision":"day")"),
            (Strings{"src/parser.cpp"}));
  EXPECT_EQ(files(R"("mode":"between","start_datetime":"2025-05-26","end_datetime":"2025-06-12")"),
            (Strings{"tools/report.py"}));
  EXPECT_EQ(files(R"("mode":"between","start_datetime":"2025-05-26","end_datetime":"2025-06-12",
                     "precision":"day")"),
            (Strings{"src/parser.h", "tools/report.py"}));
  EXPECT_EQ(files(R"("mode":"relative")")[0],
            "invalid_argument: Missing required parameter: relative_period (needed with mode "
            "relative)");
  EXPECT_EQ(files(R"("mode":"before","datetime":"soon")")[0],
            "invalid_argument: 'soon' is no time; write datetime like 2025-03-01 or "
            "2025-03-01T12:30:00Z");
}

TEST_F(EntityTools, find_by_text) {
  const auto found = [&](std::string_view rest) {
    return names("text_pattern_search",
                 fmt::format(R"({{"entity_type":"any","field":"name",{},"limit":50}})", rest));
  };
  EXPECT_EQ(found(R"("pattern":"PARSE_","mode":"starts_with")"),
            (Strings{"parse_header", "parse_row"}));
  EXPECT_EQ(found(R"("pattern":"PARSE_","mode":"starts_with","case_sensitive":true)"), (Strings{}));
  EXPECT_EQ(found(R"("pattern":"request")"), (Strings{"parseHttpRequest", "parseHttpRequest"}));
  EXPECT_EQ(found(R"("pattern":"_row","mode":"ends_with","case_sensitive":true)"),
            (Strings{"parse_row"}));
  EXPECT_EQ(found(R"("pattern":"VIEW","mode":"exact")"), (Strings{"View"}));
  EXPECT_EQ(found(R"("pattern":"^v..w$","mode":"regex")"), (Strings{"View"}));
  // Neither % nor _ nor \ is anything but itself.
  EXPECT_EQ(found(R"("pattern":"parse%row")"), (Strings{}));
  EXPECT_EQ(found(R"("pattern":"\\")"), (Strings{}));
  EXPECT_TRUE(found(R"("pattern":"(","mode":"regex")")[0].starts_with(
      "invalid_argument: The regular expression is not valid"));
  EXPECT_EQ(found(R"("pattern":"(","mode":"regex")")[0].find("(?i)"), std::string::npos)
      << "only what the model has written";
}

TEST_F(EntityTools, filter_by_values) {
  EXPECT_EQ(names("enum_filter_search",
                  R"({"entity_type":"class","field":"language","values":["C++","Python"]})"),
            (Strings{"Parser", "Report"}));
  EXPECT_EQ(names("enum_filter_search",
                  R"({"entity_type":"class","field":"language","values":["C++"],"exclude":true})"),
            (Strings{"Report", "View"}));
  EXPECT_EQ(names("enum_filter_search",
                  R"({"entity_type":"method","field":"visibility","values":["protected"]})"),
            (Strings{"_hidden"}));
}

TEST_F(EntityTools, count_and_compute_by_groups) {
  const Json counts =
      tree.ask("aggregate_entities",
               R"({"entity_type":"function","operation":"COUNT","group_by":"language"})");
  EXPECT_EQ(to_text(counts.at("groups")),
            R"([{"group":"C++","value":1,"count":1},{"group":"Python","value":1,"count":1},)"
            R"({"group":"TypeScript","value":1,"count":1}])");
  const auto value = [&](std::string_view operation) {
    return to_text(
        tree.ask("aggregate_entities", fmt::format(R"({{"entity_type":"class","operation":"{}",)"
                                                   R"("field":"line_count"}})",
                                                   operation))
            .at("value"));
  };
  EXPECT_EQ(value("SUM"), "20");
  EXPECT_EQ(value("MIN"), "6");
  EXPECT_EQ(value("MAX"), "8");
  EXPECT_EQ(value("COUNT"), "3");
  EXPECT_EQ(value("AVG").substr(0, 6), "6.6666");
  EXPECT_EQ(tree.ask("aggregate_entities", R"({"entity_type":"class","operation":"SUM"})"),
            Json("invalid_argument: Missing required parameter: field (needed with AVG, SUM, MIN "
                 "and MAX)"));
}

TEST_F(EntityTools, count_the_methods_of_a_class_wherever_they_are_defined) {
  const Json answer =
      tree.ask("query_entities",
               R"({"entity_type":"class","order_by":{"field":"method_count","direction":"DESC"}})");
  EXPECT_EQ(each(answer, "name"), (Strings{"Parser", "Report", "View"}));
  EXPECT_EQ(each(answer, "method_count"), (Strings{"3", "2", "1"}));
}

TEST_F(EntityTools, tell_what_exists_when_a_name_is_wrong) {
  EXPECT_TRUE(names("query_entities", R"({"entity_type":"clas"})")[0].starts_with(
      "not_found: There is no entity type 'clas'; there are: class, "));
  EXPECT_TRUE(
      names("query_entities", R"({"entity_type":"class","conditions":[{"field":"line_counts",
                     "operator":">","value":1}]})")[0]
          .starts_with("not_found: 'class' has no field 'line_counts'; its fields are: "
                       "line_count, name, "));
  EXPECT_TRUE(
      names("query_entities", R"({"entity_type":"class","conditions":[{"field":"name",
                     "operator":"LIKE","value":1}]})")[0]
          .starts_with("invalid_argument: There is no operator 'LIKE'; there are: =, !=, "));
  EXPECT_TRUE(names("number_range_search", R"({"entity_type":"class","field":"name",
                     "operator":"gt","value":1})")[0]
                  .starts_with("invalid_argument: The field name of 'class' is a text, not a "
                               "number; such fields are: "));
  EXPECT_TRUE(names("query_entities", R"({"entity_type":"class","conditions":[{"field":"line_count",
                     "operator":">","value":"many"}]})")[0]
                  .starts_with("invalid_argument: The field line_count is a number"));
  const Json relation = tree.ask("explore_relationships",
                                 R"({"start_entity_type":"class","relationship_type":"contain"})");
  EXPECT_EQ(relation, Json("not_found: There is no relationship 'contain'; there are: contains, "
                           "defines, references"));
}

TEST_F(EntityTools, never_paste_what_they_are_given) {
  for (const std::string_view hostile :
       {"name; DROP TABLE entity", "name\\\" OR 1=1 --", "1) OR (1=1", "rowid",
        "name COLLATE NOCASE", "\\u0000", "(SELECT 1)"}) {
    const Json answer = tree.ask(
        "query_entities",
        fmt::format(
            R"({{"entity_type":"class","conditions":[{{"field":"{}","operator":"=","value":1}}]}})",
            hostile));
    ASSERT_TRUE(answer.is_string()) << hostile;
    EXPECT_TRUE(std::string_view(answer.get_string()).starts_with("not_found: ")) << answer;
    const Json as_value = tree.ask(
        "query_entities",
        fmt::format(
            R"({{"entity_type":"class","conditions":[{{"field":"name","operator":"=","value":"{}"}}]}})",
            hostile));
    ASSERT_TRUE(as_value.is_object()) << as_value;
    EXPECT_EQ(as_value.at("total").as_int64(), 0);
    EXPECT_TRUE(
        tree.ask("query_entities", fmt::format(R"({{"entity_type":"{}"}})", hostile)).is_string());
    EXPECT_TRUE(
        tree.ask("semantic_search",
                 fmt::format(R"({{"entity_type":"any","query":"{} \" OR * NEAR("}})", hostile))
            .is_object());
  }
  EXPECT_EQ(names("query_entities", R"({"entity_type":"class"})"),
            (Strings{"Parser", "Report", "View"}));
}

TEST_F(EntityTools, find_by_the_words_in_names_and_comments) {
  EXPECT_EQ(names("semantic_search", R"({"entity_type":"method","query":"parsing http requests"})"),
            (Strings{"parseHttpRequest"}));
  EXPECT_EQ(names("semantic_search", R"({"entity_type":"function","query":"split into cells"})"),
            (Strings{"parse_row"}));
  EXPECT_EQ(names("semantic_search", R"({"entity_type":"file","query":"writes reports"})")[0],
            "report.py");
  const Json answer =
      tree.ask("semantic_search", R"({"entity_type":"any","query":"parse","top_k":20})");
  double last = 1;
  for (const Json& entity : answer.at("entities").as_array()) {
    const double score = entity.at("score").to_number<double>();
    EXPECT_LE(score, last);
    last = score;
  }
  EXPECT_GE(answer.at("count").to_number<int>(), 4);
  EXPECT_EQ(tree.ask("semantic_search", R"({"entity_type":"any","query":"parse","min_score":1})")
                .at("entities")
                .at(0)
                .at("score")
                .to_number<double>(),
            1);
  EXPECT_TRUE(tree.ask("semantic_search", R"({"entity_type":"any","query":"?!"})").is_string());
}

TEST_F(EntityTools, go_from_a_class_to_its_methods_and_back) {
  const auto related = [&](std::string_view arguments, std::string_view end) {
    Strings made;
    const Json answer = tree.ask("explore_relationships", arguments);
    if (!answer.is_object()) return Strings{std::string(answer.as_string())};
    for (const Json& relation : answer.at("relations").as_array()) {
      made.emplace_back(relation.at(end).at("name").as_string());
    }
    return made;
  };
  EXPECT_EQ(related(R"({"start_entity_type":"class","relationship_type":"contains",
                        "start_conditions":[{"field":"name","operator":"=","value":"Report"}]})",
                    "to"),
            (Strings{"render", "_hidden"}));
  EXPECT_EQ(related(R"({"start_entity_type":"method","relationship_type":"contains",
                        "direction":"incoming","start_conditions":[
                          {"field":"name","operator":"=","value":"parseHttpRequest"}]})",
                    "from"),
            (Strings{"parser.cpp", "Parser"}));
  EXPECT_EQ(related(R"({"start_entity_type":"file","relationship_type":"defines",
                        "target_entity_type":"method",
                        "start_conditions":[{"field":"file","operator":"=","value":"web/app.ts"}]})",
                    "to"),
            (Strings{"render"}));
  EXPECT_EQ(related(R"({"start_entity_type":"function","relationship_type":"references",
                        "start_conditions":[{"field":"name","operator":"=","value":"mount"}]})",
                    "to"),
            (Strings{"View"}));
  EXPECT_EQ(related(R"({"start_entity_type":"function","relationship_type":"references",
                        "direction":"incoming",
                        "start_conditions":[{"field":"name","operator":"=","value":"parse_row"}]})",
                    "from"),
            (Strings{"render"}));
}

TEST_F(EntityTools, describe_what_there_is) {
  const Json schema = tree.ask("get_schema", "{}");
  ASSERT_TRUE(schema.is_object()) << schema;
  std::map<std::string, std::int64_t> counts;
  for (const Json& type : schema.at("entity_types").as_array()) {
    counts[std::string(type.at("name").as_string())] = type.at("count").as_int64();
  }
  EXPECT_EQ(counts["file"], 5);
  EXPECT_EQ(counts["class"], 3);
  EXPECT_EQ(counts["function"], 3);
  EXPECT_EQ(counts["method"], 6);
  EXPECT_TRUE(schema.as_object().contains("tips"));
  EXPECT_FALSE(tree.ask("get_schema", R"({"include_tips":false})").as_object().contains("tips"));
  const Json type = tree.ask("describe_entity", R"({"entity_name":"class"})");
  EXPECT_EQ(type.at("count").as_int64(), 3);
  EXPECT_EQ(type.at("fields").at(0).at("name").as_string(), "name");
  EXPECT_EQ(type.at("fields").at(0).at("examples").as_array().size(), 3U);
}

TEST(EntityToolsIncomplete, see_what_comes_after_a_very_deep_folder) {
  CodeTree tree;
  std::string deep;
  for (int i = 0; i < 70; ++i) deep += "d/";
  tree.files().write(deep + "bottom.py", "def bottom(): pass\n");
  tree.files().write("z.py", "def after(): pass\n");
  const Json answer = tree.ask("query_entities", R"({"entity_type":"function"})");
  EXPECT_EQ(each(answer, "name"), (Strings{"bottom", "after"}));
  EXPECT_FALSE(answer.as_object().contains("incomplete"));
}

TEST(EntityToolsIncomplete, say_in_every_answer_what_could_not_be_read) {
  CodeTree tree;
  tree.files().write("z.py", "def shown(): pass\n");
  // Deeper than any path can name, so that not even root can read it.
  const std::string name(200, 'n');
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(tree.files().path());
  for (int i = 0; i < 30; ++i) {
    std::filesystem::create_directory(name);
    std::filesystem::current_path(name);
  }
  std::filesystem::current_path(before);
  for (const auto& [tool, arguments] : std::map<std::string, std::string>{
           {"query_entities", R"({"entity_type":"function"})"},
           {"aggregate_entities", R"({"entity_type":"function","operation":"COUNT"})"},
           {"get_schema", "{}"},
           {"semantic_search", R"({"entity_type":"any","query":"shown"})"},
           {"explore_relationships",
            R"({"start_entity_type":"file","relationship_type":"contains"})"}}) {
    const Json answer = tree.ask(tool, arguments);
    ASSERT_TRUE(answer.is_object()) << tool << ": " << to_text(answer);
    ASSERT_TRUE(answer.as_object().contains("incomplete")) << tool;
    EXPECT_TRUE(
        answer.at("incomplete").as_string().starts_with("One entry could not be read ('nnn"))
        << answer.at("incomplete");
  }
  tools::output_of("rm -rf " + tools::shell_word(tree.files().path().native()));
}

TEST_F(EntityTools, take_what_the_seed_calls_their_parameters_and_only_read) {
  const std::map<std::string, Strings> expected{
      {"query_entities", {"entity_type", "conditions", "limit", "order_by"}},
      {"number_range_search",
       {"entity_type", "field", "operator", "value", "upper_value", "tolerance", "round_to",
        "limit"}},
      {"datetime_range_search",
       {"entity_type", "field", "mode", "datetime", "start_datetime", "end_datetime",
        "relative_period", "precision", "limit"}},
      {"text_pattern_search",
       {"entity_type", "field", "pattern", "mode", "case_sensitive", "limit"}},
      {"enum_filter_search", {"entity_type", "field", "values", "exclude", "limit"}},
      {"aggregate_entities",
       {"entity_type", "operation", "field", "group_by", "conditions", "limit"}},
      {"get_schema", {"include_tips"}},
      {"describe_entity", {"entity_name"}},
      {"explore_relationships",
       {"start_entity_type", "start_conditions", "relationship_type", "direction",
        "target_entity_type", "limit"}},
      {"semantic_search", {"entity_type", "query", "top_k", "min_score"}}};
  ASSERT_EQ(tree.tools().size(), expected.size());
  for (const Tool& tool : tree.tools()) {
    Strings parameters;
    for (const auto& [name, schema] : tool.spec.parameters.at("properties").as_object()) {
      parameters.emplace_back(name);
    }
    EXPECT_EQ(parameters, expected.at(tool.spec.name)) << tool.spec.name;
    EXPECT_EQ(tool.spec.options.effect, Effect::read) << tool.spec.name;
  }
}

}  // namespace
}  // namespace wright::entities
