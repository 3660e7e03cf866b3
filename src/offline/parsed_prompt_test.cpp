#include "offline/parsed_prompt.h"

#include <gtest/gtest.h>

#include <ostream>

namespace wright::offline {

struct Phrasing {
  const char* prompt;
  Topic topic;
  const char* subject = "";
  const char* qualifier = "";
  const char* path = "";
};

std::ostream& operator<<(std::ostream& out, const Phrasing& phrasing) {
  return out << phrasing.prompt;
}

namespace {

class Understanding : public ::testing::TestWithParam<Phrasing> {};

TEST_P(Understanding, recognises_what_is_asked) {
  const Phrasing& phrasing = GetParam();
  const ParsedPrompt question = understand(phrasing.prompt);
  EXPECT_EQ(to_string(question.topic), to_string(phrasing.topic));
  EXPECT_EQ(question.subject, phrasing.subject);
  EXPECT_EQ(question.qualifier, phrasing.qualifier);
  EXPECT_EQ(question.path, phrasing.path);
}

INSTANTIATE_TEST_SUITE_P(
    Names, Understanding,
    ::testing::Values(
        Phrasing{"Where is sqlite3_open_v2 defined?", Topic::definition, "sqlite3_open_v2"},
        Phrasing{"please tell me where Store::open is defined", Topic::unknown},
        Phrasing{"where is struct stat declared?", Topic::definition, "stat", "struct"},
        Phrasing{"what does the function render do?", Topic::definition, "render", "function"},
        Phrasing{"what is the value of PATH_MAX?", Topic::definition, "PATH_MAX"},
        Phrasing{"where is Foo defined in src/net?", Topic::definition, "Foo", "", "src/net"},
        Phrasing{"Where is the run machine defined?", Topic::definition, "run machine"},
        Phrasing{"RetryPolicy", Topic::definition, "RetryPolicy"},
        Phrasing{"who calls foo?", Topic::usage, "foo"},
        Phrasing{"where is `foo` used?", Topic::usage, "foo"},
        Phrasing{"how often is Foo used", Topic::usage, "Foo"},
        Phrasing{"What methods does class Foo have?", Topic::members, "Foo", "methods"},
        Phrasing{"list the fields of Foo", Topic::members, "Foo", "fields"},
        Phrasing{"What classes inherit from Base?", Topic::subclasses, "Base"},
        Phrasing{"subclasses of Base", Topic::subclasses, "Base"},
        Phrasing{"which files contain foo bar?", Topic::containing_files, "foo bar"},
        Phrasing{"grep \"hello world\"", Topic::search, "hello world"}));

INSTANTIATE_TEST_SUITE_P(
    FilesAndFolders, Understanding,
    ::testing::Values(Phrasing{"what does main.cpp do?", Topic::file, "main.cpp"},
                      Phrasing{"show src/main.cpp", Topic::file, "src/main.cpp", "show"},
                      Phrasing{"how many lines does README.md have?", Topic::file, "README.md"},
                      Phrasing{"where is schema.sql?", Topic::find_files, "schema.sql"},
                      Phrasing{"which files match *.sh?", Topic::find_files, "*.sh"},
                      Phrasing{"Summarise the folder src/net", Topic::folder, "", "", "src/net"},
                      Phrasing{"what is in the src folder?", Topic::folder, "", "", "src"},
                      Phrasing{"what is in this folder?", Topic::folder},
                      Phrasing{"what is in src", Topic::folder, "", "", "src"}));

INSTANTIATE_TEST_SUITE_P(
    Others, Understanding,
    ::testing::Values(
        Phrasing{"hello", Topic::capabilities}, Phrasing{"What is this project?", Topic::project},
        Phrasing{"How do I build it?", Topic::how_to, "", "build"},
        Phrasing{"what are the dependencies?", Topic::dependencies},
        Phrasing{"Which packages are in this monorepo?", Topic::packages},
        Phrasing{"List the CLI flags", Topic::flags}, Phrasing{"which licence?", Topic::licence},
        Phrasing{"list all TODOs", Topic::todos},
        Phrasing{"What are the entry points?", Topic::entry_points},
        Phrasing{"How many Python classes are there?", Topic::set},
        Phrasing{"What changed in the last week?", Topic::set},
        Phrasing{"refactor everything", Topic::unknown}, Phrasing{"", Topic::unknown}));

// Each of these has a word that a table of phrases would pass over.
INSTANTIATE_TEST_SUITE_P(
    NotUnderstood, Understanding,
    ::testing::Values(Phrasing{"How many test functions are there?", Topic::unknown},
                      Phrasing{"Where is Foo defined and why?", Topic::unknown},
                      Phrasing{"What does Foo return when it fails?", Topic::unknown},
                      Phrasing{"Who changed Foo last?", Topic::unknown},
                      Phrasing{"Which classes have no tests?", Topic::unknown},
                      Phrasing{"What is the difference between Foo and Bar?", Topic::unknown},
                      Phrasing{"Which files are never included?", Topic::unknown},
                      Phrasing{"how does caching work?", Topic::unknown},
                      Phrasing{"Why is this slow?", Topic::unknown}));

TEST(ParsedPrompt, takes_line_ranges_of_a_file) {
  const ParsedPrompt range = understand("show src/main.cpp lines 10-40");
  EXPECT_EQ(range.subject, "src/main.cpp");
  EXPECT_EQ(range.first_line, 10);
  EXPECT_EQ(range.last_line, 40);
  const ParsedPrompt point = understand("show src/main.cpp:120");
  EXPECT_EQ(point.subject, "src/main.cpp");
  EXPECT_EQ(point.first_line, 120);
}

TEST(ParsedPrompt, takes_the_subject_of_it_from_the_question_before) {
  const ParsedPrompt earlier = understand("where is RetryPolicy defined?");
  const ParsedPrompt later = with_subject_of(understand("and where is it used?"), earlier);
  EXPECT_EQ(later.topic, Topic::usage);
  EXPECT_EQ(later.subject, "RetryPolicy");
  const ParsedPrompt own = with_subject_of(understand("where is Store used?"), earlier);
  EXPECT_EQ(own.subject, "Store");
}

TEST(ParsedPrompt, takes_several_questions_apart) {
  const auto two = understand_all("What is this project, and where is the run machine defined?");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].topic, Topic::project);
  EXPECT_EQ(two[1].topic, Topic::definition);
  EXPECT_EQ(two[1].subject, "run machine");
  EXPECT_EQ(understand_all("where is foo defined? How many files are there? Which licence?").size(),
            3U);
  EXPECT_EQ(understand_all("where is foo defined and why is it slow?").size(), 1U);
}

TEST(ParsedPrompt, bounds_and_repairs_hostile_prompts) {
  const std::string endless = "where is " + std::string(2'000'000, 'x') + " defined";
  EXPECT_LE(understand(endless).prompt.size(), 4096U);
  EXPECT_LE(understand("where is " + std::string(1000, 'y') + " defined").subject.size(), 200U);
  EXPECT_EQ(understand(std::string("\0\x01\x02", 3)).topic, Topic::unknown);
}

}  // namespace
}  // namespace wright::offline
