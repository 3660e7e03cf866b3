#include "offline/question.h"

#include <gtest/gtest.h>

#include <ostream>

namespace wright::offline {

struct Phrasing {
  const char* prompt;
  Topic topic;
  const char* subject = "";
  const char* qualifier = "";
  const char* file_type = "";
  const char* path = "";
};

std::ostream& operator<<(std::ostream& out, const Phrasing& phrasing) {
  return out << phrasing.prompt;
}

namespace {

class Understanding : public ::testing::TestWithParam<Phrasing> {};

TEST_P(Understanding, recognises_what_is_asked) {
  const Phrasing& phrasing = GetParam();
  const Question question = understand(phrasing.prompt);
  EXPECT_EQ(to_string(question.topic), to_string(phrasing.topic));
  EXPECT_EQ(question.subject, phrasing.subject);
  EXPECT_EQ(question.qualifier, phrasing.qualifier);
  EXPECT_EQ(question.file_type, phrasing.file_type);
  EXPECT_EQ(question.path, phrasing.path);
}

INSTANTIATE_TEST_SUITE_P(
    Definitions, Understanding,
    ::testing::Values(
        Phrasing{"Where is sqlite3_open_v2 defined?", Topic::definition, "sqlite3_open_v2"},
        Phrasing{"where is EPOLLIN defined", Topic::definition, "EPOLLIN"},
        Phrasing{"Where is struct stat defined?", Topic::definition, "stat", "struct"},
        Phrasing{"where is the function `foo()` declared?", Topic::definition, "foo", "function"},
        Phrasing{"WHERE IS \"Foo::bar\" IMPLEMENTED", Topic::definition, "Foo::bar"},
        Phrasing{"Can you tell me where parse_json is defined?", Topic::definition, "parse_json"},
        Phrasing{"Please show me the definition of RetryPolicy", Topic::definition, "RetryPolicy"},
        Phrasing{"which file defines the class Session?", Topic::definition, "Session", "class"},
        Phrasing{"where can I find load_config?", Topic::definition, "load_config"},
        Phrasing{"where is main.c?", Topic::find_files, "main.c"},
        Phrasing{"where is Cat.feed defined?", Topic::definition, "Cat.feed"},
        Phrasing{"Where does the method open of class Store live?", Topic::definition,
                 "Store::open", "method"},
        Phrasing{"where is load_config defined in src/app?", Topic::definition, "load_config", "",
                 "", "src/app"},
        Phrasing{"where is load_config defined in this repository?", Topic::definition,
                 "load_config"},
        Phrasing{"find the function run_loop", Topic::definition, "run_loop", "function"},
        Phrasing{"I'm new here. Where is `Widget` declared?", Topic::definition, "Widget"}));

INSTANTIATE_TEST_SUITE_P(
    Uses, Understanding,
    ::testing::Values(Phrasing{"where is foo_bar used?", Topic::usage, "foo_bar"},
                      Phrasing{"Where is the macro MAX_SIZE referenced", Topic::usage, "MAX_SIZE",
                               "macro"},
                      Phrasing{"who calls parse_json()?", Topic::usage, "parse_json"},
                      Phrasing{"find all usages of `Session`", Topic::usage, "Session"},
                      Phrasing{"what uses Store?", Topic::usage, "Store"},
                      Phrasing{"Where do we call connect_all in src/net?", Topic::usage,
                               "connect_all", "", "", "src/net"},
                      Phrasing{"is old_api used anywhere?", Topic::usage, "old_api"},
                      Phrasing{"list the callers of run", Topic::usage, "run"}));

INSTANTIATE_TEST_SUITE_P(
    Names, Understanding,
    ::testing::Values(Phrasing{"what does the function foo do?", Topic::symbol, "foo", "function"},
                      Phrasing{"What does parse_json do?", Topic::symbol, "parse_json"},
                      Phrasing{"explain RetryPolicy", Topic::symbol, "RetryPolicy"},
                      Phrasing{"how does DefinitionJudge work?", Topic::symbol, "DefinitionJudge"},
                      Phrasing{"run_loop", Topic::symbol, "run_loop"}));

INSTANTIATE_TEST_SUITE_P(
    Folders, Understanding,
    ::testing::Values(Phrasing{"What is in this folder?", Topic::list},
                      Phrasing{"what's in the src/ folder?", Topic::list, "", "", "", "src"},
                      Phrasing{"list files in src/core", Topic::list, "", "", "", "src/core"},
                      Phrasing{"ls", Topic::list}, Phrasing{"list the files", Topic::list},
                      Phrasing{"show me the contents of docs", Topic::list, "", "", "", "docs"},
                      Phrasing{"what is in folder tests?", Topic::list, "", "", "", "tests"}));

INSTANTIATE_TEST_SUITE_P(
    Files, Understanding,
    ::testing::Values(
        Phrasing{"which files match *.cmake?", Topic::find_files, "*.cmake"},
        Phrasing{"find files named config.toml", Topic::find_files, "config.toml"},
        Phrasing{"list all python files", Topic::find_files, "", "", "python"},
        Phrasing{"which files contain FooBar?", Topic::containing_files, "FooBar"},
        Phrasing{"Which files mention \"retry policy\"", Topic::containing_files, "retry policy"},
        Phrasing{"what files include stdio.h?", Topic::containing_files, "stdio.h"},
        Phrasing{"what are the largest files?", Topic::ranked_files, "", "largest"},
        Phrasing{"biggest file", Topic::ranked_files, "", "largest"},
        Phrasing{"show the 10 longest files in src", Topic::ranked_files, "", "largest", "", "src"},
        Phrasing{"which files changed most recently?", Topic::ranked_files, "", "newest"},
        Phrasing{"newest files", Topic::ranked_files, "", "newest"},
        Phrasing{"what does src/main.cpp do?", Topic::file, "src/main.cpp"},
        Phrasing{"explain Makefile", Topic::file, "Makefile"},
        Phrasing{"show README.md", Topic::file, "README.md", "show"},
        Phrasing{"summarise the file core/run.h", Topic::file, "core/run.h"}));

INSTANTIATE_TEST_SUITE_P(
    Counts, Understanding,
    ::testing::Values(
        Phrasing{"How many files are there?", Topic::count_files},
        Phrasing{"how many python files are in this project?", Topic::count_files, "", "",
                 "python"},
        Phrasing{"how many files of type rust", Topic::count_files, "rust"},
        Phrasing{"how many lines of code?", Topic::count_lines},
        Phrasing{"how many lines does src/run.cpp have?", Topic::count_lines, "src/run.cpp"},
        Phrasing{"How many functions are in src?", Topic::count_definitions, "", "functions", "",
                 "src"},
        Phrasing{"count the classes", Topic::count_definitions, "", "classes"},
        Phrasing{"how many times is parse_json called?", Topic::count_occurrences, "parse_json"},
        Phrasing{"how many occurrences of TODO_LIST are there", Topic::count_occurrences,
                 "TODO_LIST"},
        Phrasing{"how often is `foo` used?", Topic::count_occurrences, "foo"}));

INSTANTIATE_TEST_SUITE_P(
    Project, Understanding,
    ::testing::Values(Phrasing{"Summarise this project", Topic::project},
                      Phrasing{"what does this project do?", Topic::project},
                      Phrasing{"Give me an overview of the codebase", Topic::project},
                      Phrasing{"describe the repository", Topic::project},
                      Phrasing{"How is this project structured?", Topic::project},
                      Phrasing{"which languages is it written in?", Topic::project},
                      Phrasing{"what are the entry points?", Topic::entry_points},
                      Phrasing{"where does the program start?", Topic::entry_points},
                      Phrasing{"where is the main function?", Topic::entry_points},
                      Phrasing{"what are the dependencies?", Topic::dependencies},
                      Phrasing{"What does this project depend on?", Topic::dependencies},
                      Phrasing{"list all TODOs", Topic::todos},
                      Phrasing{"are there any TODO or FIXME comments?", Topic::todos},
                      Phrasing{"where are the tests?", Topic::tests},
                      Phrasing{"how do I run the tests", Topic::tests},
                      Phrasing{"which licence does it use?", Topic::licence},
                      Phrasing{"under what license is this released under", Topic::licence}));

INSTANTIATE_TEST_SUITE_P(
    Ideas, Understanding,
    ::testing::Values(Phrasing{"Where is the retry policy?", Topic::idea, "is the retry policy"},
                      Phrasing{"how does caching work?", Topic::idea, "does caching work"},
                      Phrasing{"where is user authentication handled?", Topic::idea,
                               "is user authentication handled"},
                      Phrasing{"grep \"hello world\"", Topic::search, "hello world"},
                      Phrasing{"search for connection refused", Topic::search,
                               "connection refused"}));

INSTANTIATE_TEST_SUITE_P(Others, Understanding,
                         ::testing::Values(Phrasing{"hello", Topic::capabilities},
                                           Phrasing{"What can you do?", Topic::capabilities},
                                           Phrasing{"write me a poem about the sea",
                                                    Topic::unknown},
                                           Phrasing{"refactor everything", Topic::unknown},
                                           Phrasing{"", Topic::unknown}));

TEST(Question, takes_line_ranges_of_a_file) {
  const Question range = understand("show src/main.cpp lines 10-40");
  EXPECT_EQ(range.subject, "src/main.cpp");
  EXPECT_EQ(range.first_line, 10);
  EXPECT_EQ(range.last_line, 40);
  const Question point = understand("show src/main.cpp:120");
  EXPECT_EQ(point.subject, "src/main.cpp");
  EXPECT_EQ(point.first_line, 120);
}

TEST(Question, takes_the_subject_of_it_from_the_question_before) {
  const Question earlier = understand("where is RetryPolicy defined?");
  const Question later = with_subject_of(understand("and where is it used?"), earlier);
  EXPECT_EQ(later.topic, Topic::usage);
  EXPECT_EQ(later.subject, "RetryPolicy");
  const Question own = with_subject_of(understand("where is Store used?"), earlier);
  EXPECT_EQ(own.subject, "Store");
}

TEST(Question, takes_several_questions_apart) {
  const auto two = understand_all("What is this project, and where is the run machine defined?");
  ASSERT_EQ(two.size(), 2U);
  EXPECT_EQ(two[0].topic, Topic::project);
  EXPECT_EQ(two[1].topic, Topic::idea);
  EXPECT_EQ(two[1].subject, "run machine");
  EXPECT_EQ(understand_all("where is foo defined? How many files are there? Which licence?").size(),
            3U);
  EXPECT_EQ(understand_all("where is foo defined and used?").size(), 1U);
  EXPECT_EQ(understand_all("hello, what can you do?").size(), 1U);
}

TEST(Question, bounds_and_repairs_hostile_prompts) {
  const std::string endless = "where is " + std::string(2'000'000, 'x') + " defined";
  EXPECT_LE(understand(endless).prompt.size(), 4096U);
  EXPECT_LE(understand("where is " + std::string(1000, 'y') + " defined").subject.size(), 200U);
  const Question broken = understand("where is \xff\xfe foo defined");
  EXPECT_NE(broken.topic, Topic::unknown);
  EXPECT_EQ(understand(std::string("\0\x01\x02", 3)).topic, Topic::unknown);
}

}  // namespace
}  // namespace wright::offline
