#include "entities/whole_names.h"

#include "entities/entity_testing.h"

namespace wright::entities {
namespace {

using tools::Strings;

CodeEntity entity(std::string name, int line, std::string parent = {}, int end_line = 0) {
  CodeEntity made;
  made.name = name;
  made.parent = parent;
  made.qualified_name = parent.empty() ? name : parent + "::" + name;
  made.language = "C++";
  made.start_line = line;
  made.end_line = end_line;
  return made;
}

std::string whole(std::string name, std::string_view line) {
  std::vector<CodeEntity> entities{entity(std::move(name), 1)};
  make_names_whole(entities, SourceLines(line));
  return entities[0].qualified_name;
}

TEST(WholeNames, come_from_the_line) {
  EXPECT_EQ(whole("e", "struct Größe { int wert; };"), "Größe");
  EXPECT_EQ(whole("Gr", "class Größe"), "Größe");
  EXPECT_EQ(whole("be", "void übe() {}"), "übe");
}

TEST(WholeNames, stay_as_they_are_where_nothing_was_cut) {
  EXPECT_EQ(whole("plain", "int plain() { return größe; }"), "plain");
  EXPECT_EQ(whole("e", "int e = größe;"), "e");
  EXPECT_EQ(whole("Größe", "class Größe {}"), "Größe");
  EXPECT_EQ(whole("absent", "int größe;"), "absent");
  EXPECT_EQ(whole("x", ""), "x");
}

TEST(WholeNames, are_bounded) {
  std::string line = "struct ";
  for (int i = 0; i < 5'000; ++i) line += "ö";
  line += "e {};";
  const std::string name = whole("e", line);
  EXPECT_LE(name.size(), 300U);
  EXPECT_TRUE(is_valid_utf8(name));
}

TEST(WholeNames, of_scopes_are_those_of_what_they_stand_in) {
  const SourceLines lines(
      "struct Größe {\n  int wärme;\n};\nstruct Maße {\n  int höhe();\n};\nint Größe::z() {}\n");
  std::vector<CodeEntity> entities{entity("e", 1, "", 3), entity("rme", 2, "e"),
                                   entity("e", 4, "", 6), entity("he", 5, "e"),
                                   entity("z", 7, "e")};
  make_names_whole(entities, lines);
  Strings names;
  for (const CodeEntity& each : entities) names.push_back(each.qualified_name);
  EXPECT_EQ(names, (Strings{"Größe", "Größe::wärme", "Maße", "Maße::höhe", "Größe::z"}));
}

TEST(WholeNames, of_files_in_any_encoding_can_be_asked_for) {
  CodeTree tree;
  tree.files()
      .write("utf8.cpp", "// Misst.\nclass Größe {\n public:\n  int prüfe() { return 1; }\n};\n")
      .write("Utf8.java", "class Zähler {\n  int übe() { return 1; }\n}\n")
      .write("latin.py",
             "class Caf\xe9:\n    \"\"\"Br\xfcht.\"\"\"\n    def gr\xfc\xdf(self):\n"
             "        pass\n")
      .write("latin.cpp", "struct M\xfcll { int a; };\n")
      .write("d\xe9j\xe0/\xff.py", "def na\xefve(): pass\n");
  const auto names = [&](std::string_view type, std::string_view field) {
    return each(
        tree.ask("query_entities", fmt::format(R"({{"entity_type":"{}","limit":50}})", type)),
        field);
  };
  EXPECT_EQ(names("class", "name"), (Strings{"Zähler", "Café", "Größe"}));
  EXPECT_EQ(names("method", "qualified_name"),
            (Strings{"Zähler.übe", "Café.grüß", "Größe::prüfe"}));
  EXPECT_EQ(names("struct", "name"), (Strings{"Müll"}));
  EXPECT_EQ(names("function", "name"), (Strings{"naïve"}));
  EXPECT_EQ(names("function", "file"), (Strings{"d\uFFFDj\uFFFD/\uFFFD.py"}));
  const Json found = tree.ask("text_pattern_search",
                              R"({"entity_type":"class","field":"name","pattern":"Caf\u00e9"})");
  EXPECT_EQ(each(found, "file"), (Strings{"latin.py"}));
  EXPECT_EQ(
      each(tree.ask("semantic_search", R"({"entity_type":"class","query":"gr\u00f6\u00dfe"})"),
           "name"),
      (Strings{"Größe"}));
  EXPECT_EQ(
      each(tree.ask("semantic_search", R"({"entity_type":"class","query":"br\u00fcht"})"), "name"),
      (Strings{"Café"}));
  EXPECT_EQ(each(tree.ask("query_entities", R"({"entity_type":"class","conditions":[
                {"field":"method_count","operator":"=","value":1}]})"),
                 "name"),
            (Strings{"Zähler", "Café", "Größe"}));
  // And what has gone is gone, whatever it was called.
  std::filesystem::remove_all(tree.files().path() / "d\xe9j\xe0");
  std::filesystem::remove(tree.files().path() / "latin.py");
  EXPECT_EQ(names("function", "name"), Strings{});
  EXPECT_EQ(
      each(tree.ask("semantic_search", R"({"entity_type":"any","query":"caf\u00e9"})"), "name"),
      Strings{});
}

}  // namespace
}  // namespace wright::entities
