#include "entities/code_index.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "entities/entity_testing.h"

namespace wright::entities {
namespace {

using tools::output_of;
using tools::shell_word;
using tools::Strings;

class CodeIndexTest : public ::testing::Test {
 protected:
  std::shared_ptr<CodeIndex> index(CodeIndexOptions options) const {
    auto made = CodeIndex::make(std::move(options));
    EXPECT_TRUE(made) << made.error().message;
    return *made;
  }
  std::shared_ptr<CodeIndex> index() const { return index(tree.options()); }

  static IndexUpdate refreshed(CodeIndex& index) {
    const auto updated = index.refresh({});
    EXPECT_TRUE(updated) << updated.error().message;
    return updated.value_or(IndexUpdate{});
  }

  // What an index that never saw anything else knows about the same files.
  Strings from_scratch() const {
    const TemporaryFolder folder;
    CodeIndexOptions options = tree.options();
    options.folder = folder.path();
    const auto fresh = index(std::move(options));
    refreshed(*fresh);
    return contents_of(fresh->file());
  }

  void git(const std::string& arguments) const {
    output_of("cd " + shell_word(tree.files().path().native()) +
              " && git -c user.name=a -c user.email=a@b " + arguments);
  }

  CodeTree tree;
};

TEST_F(CodeIndexTest, reads_only_what_changed) {
  tree.files().write("a.py", "def f():\n    pass\n").write("b.py", "def g():\n    pass\n");
  const auto one = index();
  EXPECT_EQ(refreshed(*one).read, 2);
  EXPECT_EQ(refreshed(*one).read, 0);
  tree.files().write("a.py", "def f2():\n    pass\n");
  EXPECT_EQ(refreshed(*one).read, 1);
  std::filesystem::remove(tree.files() / "b.py");
  const IndexUpdate after = refreshed(*one);
  EXPECT_EQ(after.removed, 1);
  EXPECT_EQ(after.files, 1);
  EXPECT_EQ(contents_of(one->file()), from_scratch());
  // Another process, later: the file of the index is found again.
  EXPECT_EQ(refreshed(*index()).read, 0);
}

TEST_F(CodeIndexTest, notices_a_change_that_keeps_size_and_time) {
  tree.files().write("a.py", "def aaa():\n    pass\n");
  const auto one = index();
  refreshed(*one);
  struct stat before {};
  ASSERT_EQ(::stat((tree.files() / "a.py").c_str(), &before), 0);
  tree.files().write("a.py", "def bbb():\n    pass\n");
  const timespec times[2] = {before.st_atim, before.st_mtim};
  ASSERT_EQ(::utimensat(AT_FDCWD, (tree.files() / "a.py").c_str(), times, 0), 0);
  EXPECT_EQ(refreshed(*one).read, 1);
  EXPECT_EQ(contents_of(one->file()), from_scratch());
}

// As cp -p and rsync -t do: an old time, and the same size.
TEST_F(CodeIndexTest, notices_a_copy_that_keeps_size_and_an_old_time) {
  const auto path = tree.files() / "a.py";
  const timespec old[2] = {{kNoon / 1000, 0}, {kNoon / 1000, 0}};
  const auto write = [&](const char* text) {
    tree.files().write("a.py", text);
    EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), old, 0), 0);
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_ctim;
  };
  const timespec before = write("def aaa():\n    pass\n");
  const auto one = index();
  refreshed(*one);
  // The clock of a file system moves in steps.
  timespec after = before;
  for (int i = 0; i < 100'000 && after.tv_sec == before.tv_sec && after.tv_nsec == before.tv_nsec;
       ++i) {
    after = write("def bbb():\n    pass\n");
  }
  EXPECT_EQ(refreshed(*one).read, 1);
  EXPECT_EQ(contents_of(one->file()), from_scratch());
}

TEST_F(CodeIndexTest, is_its_owners_alone) {
  const auto mode_of = [](const std::filesystem::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777U;
  };
  tree.files().write("a.py", "def f(): pass\n");
  const TemporaryFolder folder;
  CodeIndexOptions options = tree.options();
  options.folder = folder.path() / "kept" / "entities";
  const auto one = index(options);
  refreshed(*one);
  EXPECT_EQ(mode_of(options.folder), 0700U);
  EXPECT_EQ(mode_of(one->file()), 0600U);
  EXPECT_EQ(mode_of(one->file().native() + "-wal"), 0600U);
  // One that an earlier version left readable for all.
  ASSERT_EQ(::chmod(one->file().c_str(), 0644), 0);
  refreshed(*index(options));
  EXPECT_EQ(mode_of(one->file()), 0600U);
}

TEST_F(CodeIndexTest, is_the_same_after_any_edits_as_one_made_from_scratch) {
  std::mt19937 random(5);
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  const char* const endings[] = {"py", "cpp", "ts", "h", "md", "sh"};
  const auto content = [&]() -> std::string {
    std::string text;
    for (unsigned i = 0, count = below(5); i < count; ++i) {
      const unsigned name = below(30);
      switch (below(4)) {
        case 0:
          text += fmt::format("def f{0}(a):\n    \"\"\"Doc {0}\"\"\"\n    return 1\n\n", name);
          break;
        case 1:
          text += fmt::format("class C{} {{\n  int m(int x) {{ return x; }}\n}};\n", name);
          break;
        case 2: text += fmt::format("function t{}() {{\n  return 1;\n}}\n", name); break;
        default: text += fmt::format("// text {}\n", name);
      }
    }
    if (below(12) == 0) text += std::string("\0\1\2", 3);
    return text;
  };
  const auto path = [&] {
    return fmt::format("d{}/e{}/f{}.{}", below(3), below(2), below(6), endings[below(6)]);
  };
  git("init -q -b main");
  const auto one = index();
  for (int round = 0; round < 12; ++round) {
    for (unsigned i = 0, edits = 1 + below(8); i < edits; ++i) {
      const std::string file = path();
      std::error_code ignored;
      switch (below(6)) {
        case 0: std::filesystem::remove(tree.files() / file, ignored); break;
        case 1:
          std::filesystem::remove_all(tree.files() / fmt::format("d{}/e0", below(3)), ignored);
          break;
        case 2:
          std::filesystem::create_directories((tree.files() / "d0/e0"), ignored);
          std::filesystem::rename(tree.files() / path(), tree.files() / "d0/e0/moved.py", ignored);
          break;
        default: tree.files().write(file, content());
      }
    }
    if (below(3) == 0) tree.files().write(".gitignore", below(2) == 0 ? "*.sh\n" : "d1/\n");
    if (below(3) == 0) {
      git("add -A");
      git(fmt::format("commit -q --allow-empty -m x --date 2020-01-{:02}T00:00:00Z", round + 1));
    }
    if (below(8) == 0) git("checkout -q --orphan o" + std::to_string(round));
    refreshed(*one);
    ASSERT_EQ(contents_of(one->file()), from_scratch()) << "round " << round;
  }
}

TEST_F(CodeIndexTest, takes_times_from_git_where_a_file_is_as_it_was_committed) {
  tree.files()
      .write("old.py", "def old():\n    pass\n")
      .write("sub/new.py", "def new():\n    pass\n");
  git("init -q -b main");
  git("add old.py");
  output_of("cd " + shell_word(tree.files().path().native()) +
            " && GIT_COMMITTER_DATE=2019-05-01T00:00:00Z git -c user.name=a -c user.email=a@b "
            "commit -q -m one");
  const auto times = [&](std::string_view name) {
    return each(tree.ask("query_entities",
                         fmt::format(R"({{"entity_type":"function","conditions":[{{"field":"name",)"
                                     R"("operator":"=","value":"{}"}}]}})",
                                     name)),
                "last_modified")
        .at(0);
  };
  EXPECT_EQ(times("old"), "2019-05-01T00:00:00.000Z");
  EXPECT_NE(times("new").substr(0, 4), "2019");
  git("add -A");
  output_of("cd " + shell_word(tree.files().path().native()) +
            " && GIT_COMMITTER_DATE=2020-06-01T00:00:00Z git -c user.name=a -c user.email=a@b "
            "commit -q -m two");
  EXPECT_EQ(times("old"), "2019-05-01T00:00:00.000Z");
  EXPECT_EQ(times("new"), "2020-06-01T00:00:00.000Z");
  tree.files().write("old.py", "def old():\n    return 2\n");
  EXPECT_NE(times("old").substr(0, 4), "2019");
  git("checkout -q old.py");
  EXPECT_EQ(times("old"), "2019-05-01T00:00:00.000Z");
  // A base below the root of the repository.
  CodeIndexOptions below = tree.options();
  below.base = tree.files() / "sub";
  const auto inner = code_entity_tools(below).value();
  EXPECT_EQ(each(asked(inner, "query_entities", R"({"entity_type":"file"})"), "last_modified"),
            (Strings{"2020-06-01T00:00:00.000Z"}));
  std::filesystem::remove_all(tree.files() / ".git");
  EXPECT_NE(times("old").substr(0, 4), "2019");
}

TEST_F(CodeIndexTest, knows_nothing_that_is_unreadable_and_forgets_what_became_so) {
  tree.files()
      .write("secrets.py", "def connect(password='hunter2'): pass\n")
      .write("keys/inner.py", "def inner(): pass\n")
      .write("named.py", "def named(): pass\n")
      .write("kept.py", "def kept(): pass\n");
  const auto all =
      tree.ask("query_entities",
               R"({"entity_type":"function","order_by":{"field":"name","direction":"ASC"}})");
  EXPECT_EQ(each(all, "name"), (Strings{"connect", "inner", "kept", "named"}));
  CodeIndexOptions guarded = tree.options();
  guarded.policy.unreadable = {"**/secrets.py", "keys", (tree.files() / "named.py").string()};
  const auto tools = code_entity_tools(guarded).value();
  for (const char* type : {"file", "function"}) {
    const auto found =
        asked(tools, "query_entities", fmt::format(R"({{"entity_type":"{}"}})", type));
    EXPECT_EQ(each(found, "file"), (Strings{"kept.py"})) << type;
  }
  EXPECT_EQ(
      each(asked(tools, "semantic_search", R"({"entity_type":"any","query":"hunter2"})"), "name"),
      (Strings{}));
}

TEST_F(CodeIndexTest, leaves_out_what_list_files_leaves_out) {
  tree.files()
      .write(".gitignore", "build/\n")
      .write("build/made.py", "def made(): pass\n")
      .write("node_modules/x/x.py", "def x(): pass\n")
      .write(".hidden.py", "def hidden(): pass\n")
      .write("kept.py", "def kept(): pass\n");
  tree.files().link("link.py", tree.files() / "kept.py");
  EXPECT_EQ(each(tree.ask("query_entities", R"({"entity_type":"file"})"), "file"),
            (Strings{"kept.py"}));
}

TEST_F(CodeIndexTest, survives_hostile_names_and_contents) {
  tree.files()
      .write("-dash.py", "def dash(): pass\n")
      .write("new\nline.py", "def newline(): pass\n")
      .write(
          "b\xe9"
          "d.py",
          "def bad_name(): pass\n")
      .write("qu\"ote'.py", "def quote(): pass\n")
      .write("$(touch x).py", "def command(): pass\n")
      .write("100%.py", "def percent(): pass\n")
      .write("--options=x.py", "def option(): pass\n")
      .write("latin.c", "int caf\xe9(void) { return 1; }\nint plain(void) { return 2; }\n")
      .write("binary.c", std::string("int f(void) {}\0\1\2", 17))
      .write("empty.py", "")
      .write("huge.py", "def huge(): pass\n" + std::string((16 << 20) + 1, '#'))
      .write("long.js", "function long() {" + std::string(20'000, '{'))
      .write(".ctags.d/evil.ctags", "--langdef=evil\n")
      .write(".ctags", "--_echo=evil\n");
  ASSERT_EQ(::mkfifo((tree.files() / "pipe.py").c_str(), 0600), 0);
  const Json functions = tree.ask("query_entities", R"({"entity_type":"function","limit":50})");
  const Strings names = each(functions, "name");
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()),
            (std::set<std::string>{"dash", "newline", "bad_name", "quote", "command", "percent",
                                   "option", "plain", "long"}));
  EXPECT_FALSE(std::filesystem::exists(tree.files() / "x"));
  const Json files = tree.ask("query_entities", R"({"entity_type":"file","limit":50})");
  EXPECT_EQ(files.at("total").as_int64(), 12);
  EXPECT_EQ(contents_of(index()->file()), from_scratch());
  // And it is stable: nothing is read again for its name.
  const auto one = index();
  refreshed(*one);
  EXPECT_EQ(refreshed(*one).read, 0);
}

TEST_F(CodeIndexTest, does_not_read_what_is_too_large_to_be_parsed) {
  // By name, in the order of names.
  const auto lines = [&] {
    return each(tree.ask("query_entities",
                         R"({"entity_type":"file","order_by":{"field":"name","direction":"ASC"}})"),
                "line_count");
  };
  tree.files()
      .write("large.py", "x = 1\n" + std::string(16 << 20, '\n'))
      .write("small.py", "x\ny\n");
  ASSERT_EQ(lines(), (Strings{"0", "2"}));
  // More than anybody could read.
  std::ofstream(tree.files() / "disk.img");
  std::error_code error;
  std::filesystem::resize_file(tree.files() / "disk.img", std::uintmax_t{1} << 40, error);
  if (error) GTEST_SKIP() << "files of that size cannot be made here: " << error.message();
  EXPECT_EQ(lines(), (Strings{"0", "0", "2"}));
  const auto one = index();
  refreshed(*one);
  EXPECT_EQ(refreshed(*one).read, 0);
  // It is another one afterwards.
  std::filesystem::resize_file(tree.files() / "disk.img", std::uintmax_t{1} << 39);
  EXPECT_EQ(refreshed(*one).read, 1);
}

TEST_F(CodeIndexTest, copes_with_files_that_vanish_while_it_reads) {
  for (int i = 0; i < 40; ++i) {
    tree.files().write(fmt::format("f{:02}.py", i), fmt::format("def f{}(): pass\n", i));
  }
  CodeIndexOptions options = tree.options();
  // The first report comes before anything is read.
  options.on_progress = [&](const IndexProgress& progress) {
    if (progress.done != 0) return;
    for (int i = 0; i < 40; i += 2)
      std::filesystem::remove(tree.files() / fmt::format("f{:02}.py", i));
  };
  const auto one = index(std::move(options));
  refreshed(*one);
  EXPECT_EQ(contents_of(one->file()), from_scratch());
}

TEST_F(CodeIndexTest, makes_a_damaged_index_anew) {
  tree.files().write("a.py", "def f():\n    pass\n");
  refreshed(*index());
  const auto file = index()->file();
  const auto expected = contents_of(file);
  for (const std::string_view damage : {"this is no database", ""}) {
    for (const char* ending : {"-wal", "-shm"}) std::filesystem::remove(file.native() + ending);
    std::ofstream(file, std::ios::binary | std::ios::trunc) << damage;
    refreshed(*index());
    EXPECT_EQ(contents_of(file), expected);
  }
  // One of another version, and one that has other tables.
  for (const char* sql :
       {"PRAGMA user_version = 99", "DROP TABLE entity; CREATE TABLE entity (x)"}) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file.c_str(), &database), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    refreshed(*index());
    EXPECT_EQ(contents_of(file), expected);
  }
  // While it is in use.
  const auto one = index();
  refreshed(*one);
  IndexDatabase::discard(file);
  refreshed(*one);
  EXPECT_EQ(contents_of(file), expected);
}

TEST_F(CodeIndexTest, reports_how_far_it_is) {
  for (int i = 0; i < 30; ++i) {
    const std::string file = fmt::format("f{}.py", i);
    tree.files().write(file, "x = 1\n");
    const timespec old[2] = {{kNoon / 1000, 0}, {kNoon / 1000, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (tree.files() / file).c_str(), old, 0), 0);
  }
  std::vector<IndexProgress> reports;
  CodeIndexOptions options = tree.options();
  options.on_progress = [&](const IndexProgress& progress) { reports.push_back(progress); };
  const auto one = index(std::move(options));
  refreshed(*one);
  ASSERT_GE(reports.size(), 2U);
  EXPECT_EQ(reports.front().done, 0);
  EXPECT_EQ(reports.back().done, 30);
  for (std::size_t i = 1; i < reports.size(); ++i) EXPECT_GE(reports[i].done, reports[i - 1].done);
  for (const IndexProgress& report : reports) EXPECT_EQ(report.total, 30);
  const std::size_t before = reports.size();
  refreshed(*one);
  EXPECT_EQ(reports.size(), before);
}

TEST_F(CodeIndexTest, can_be_stopped) {
  tree.files().write("a.py", "def f(): pass\n");
  std::stop_source stop;
  stop.request_stop();
  const auto updated = index()->refresh(stop.get_token());
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().code, ErrorCode::cancelled);
  EXPECT_EQ(refreshed(*index()).read, 1);
}

TEST_F(CodeIndexTest, says_which_package_is_missing) {
  tree.files().write("a.py", "def f(): pass\n");
  CodeIndexOptions options = tree.options();
  options.policy.environment = {{"PATH", tree.files().path().native()}};
  const auto updated = index(std::move(options))->refresh({});
  ASSERT_FALSE(updated);
  EXPECT_EQ(updated.error().code, ErrorCode::unsupported);
  EXPECT_NE(updated.error().message.find("apt-get install universal-ctags"), std::string::npos);
}

TEST_F(CodeIndexTest, is_refused_without_a_base_or_a_folder) {
  CodeIndexOptions options = tree.options();
  options.base /= "missing";
  EXPECT_FALSE(CodeIndex::make(options));
  options = tree.options();
  options.folder.clear();
  EXPECT_FALSE(CodeIndex::make(options));
  // A folder that cannot be made is told when it is needed.
  options = tree.options();
  tree.files().write("file");
  options.folder = tree.files() / "file" / "below";
  const auto made = CodeIndex::make(options);
  ASSERT_TRUE(made);
  const auto updated = (*made)->refresh({});
  ASSERT_FALSE(updated);
  EXPECT_NE(updated.error().message.find("Cannot create the folder"), std::string::npos);
}

TEST_F(CodeIndexTest, is_shared_by_several_that_use_it_at_once) {
  for (int i = 0; i < 60; ++i) {
    tree.files().write(fmt::format("f{}.py", i), fmt::format("def f{}(): pass\n", i));
  }
  std::vector<std::jthread> users;
  std::atomic<int> good = 0;
  for (int i = 0; i < 4; ++i) {
    users.emplace_back([&] {
      const auto tools = code_entity_tools(tree.options()).value();
      const Json answer =
          asked(tools, "aggregate_entities", R"({"entity_type":"function","operation":"COUNT"})");
      if (answer.is_object() && answer.at("value") == 60) ++good;
    });
  }
  users.clear();
  EXPECT_EQ(good, 4);
  EXPECT_EQ(contents_of(index()->file()), from_scratch());
}

}  // namespace
}  // namespace wright::entities
