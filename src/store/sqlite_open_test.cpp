// Opening the store's file: what it becomes when all is well, and what is said when it is not.
#include "store/sqlite_open.h"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "store/store_testing.h"

namespace wright::store {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

unsigned mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777U;
}

// Root may write everywhere, so tests of permissions run as nobody.
class AsNobody {
 public:
  explicit AsNobody(const fs::path& readable) {
    if (::geteuid() != 0) return;
    fs::permissions(readable, fs::perms(0055), fs::perm_options::add);
    switched_ = ::seteuid(65534) == 0;
    EXPECT_TRUE(switched_);
  }
  AsNobody(const AsNobody&) = delete;
  AsNobody& operator=(const AsNobody&) = delete;
  ~AsNobody() {
    if (switched_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool switched_ = false;
};

// The error of opening `path`; it must name the path.
Error refusal(const fs::path& path, std::chrono::milliseconds busy_timeout = {}) {
  const auto opened = open_sqlite_store(path, {.busy_timeout = busy_timeout});
  EXPECT_FALSE(opened.has_value()) << path;
  if (opened) return {};
  EXPECT_NE(opened.error().message.find(path.filename().string()), std::string::npos)
      << opened.error().message;
  return opened.error();
}

TEST(OpenDatabase, sets_what_the_store_relies_on) {
  const TemporaryFolder folder;
  const auto normal =
      value_of(open_database(folder / "a.db", {.busy_timeout = std::chrono::seconds(3)}));
  ASSERT_NE(normal, nullptr);
  EXPECT_EQ(rows_of(normal.get(), "PRAGMA journal_mode").front(), "wal");
  EXPECT_EQ(rows_of(normal.get(), "PRAGMA foreign_keys").front(), "1");
  EXPECT_EQ(rows_of(normal.get(), "PRAGMA busy_timeout").front(), "3000");
  EXPECT_EQ(rows_of(normal.get(), "PRAGMA synchronous").front(), "1");
  const auto full = value_of(open_database(folder / "a.db", {.durability = Durability::full}));
  ASSERT_NE(full, nullptr);
  EXPECT_EQ(rows_of(full.get(), "PRAGMA synchronous").front(), "2");
  EXPECT_EQ(rows_of(full.get(), "PRAGMA user_version").front(), "0");
}

TEST(OpenDatabase, creates_missing_folders_and_a_private_file) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a/b/c/store.db";
  auto store = value_of(open_sqlite_store(path));
  ASSERT_NE(store, nullptr);
  value_of(store->create_session(session_named("a")));
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(mode_of(path.string() + "-wal"), 0600U);
  EXPECT_EQ(mode_of(path.string() + "-shm"), 0600U);
}

TEST(OpenDatabase, leaves_the_mode_of_an_existing_file_alone) {
  const TemporaryFolder folder;
  value_of(open_sqlite_store(folder / "store.db"));
  fs::permissions(folder / "store.db", fs::perms(0640));
  value_of(open_sqlite_store(folder / "store.db"));
  EXPECT_EQ(mode_of(folder / "store.db"), 0640U);
}

TEST(OpenDatabase, takes_every_name_literally) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  for (const char* name :
       {"file:x.db?mode=memory", "plain.db", "white space", "ünïcode.db", "%41"}) {
    EXPECT_NE(value_of(open_sqlite_store(name)), nullptr);
    EXPECT_TRUE(fs::exists(folder / name)) << name;
  }
  fs::current_path(before);
}

TEST(OpenDatabase, opens_an_empty_file_as_a_new_database) {
  const TemporaryFolder folder;
  write_file(folder / "empty.db", "");
  EXPECT_NE(value_of(open_sqlite_store(folder / "empty.db")), nullptr);
}

TEST(OpenDatabase, refuses_paths_that_can_never_work) {
  using namespace std::string_literals;
  const TemporaryFolder folder;
  EXPECT_EQ(code_of(open_sqlite_store("")), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(open_sqlite_store(folder / "a\0b"s)), ErrorCode::invalid_argument);
  EXPECT_EQ(refusal(folder.path()).code, ErrorCode::invalid_argument);
  EXPECT_EQ(refusal("/dev/null").code, ErrorCode::invalid_argument);
}

TEST(OpenDatabase, says_that_a_link_leads_nowhere) {
  const TemporaryFolder folder;
  fs::create_symlink(folder / "nowhere", folder / "dangling.db");
  const Error error = refusal(folder / "dangling.db");
  EXPECT_EQ(error.code, ErrorCode::storage);
  EXPECT_NE(error.message.find("is a link to " + (folder / "nowhere").string()), std::string::npos)
      << error.message;
  EXPECT_FALSE(fs::exists(folder / "nowhere"));
  fs::create_symlink(folder / "circle.db", folder / "circle.db");
  EXPECT_NE(refusal(folder / "circle.db").message.find("is a link"), std::string::npos);
  write_file(folder / "nowhere", "");
  EXPECT_NE(value_of(open_sqlite_store(folder / "dangling.db")), nullptr);
}

TEST(OpenDatabase, says_that_a_path_is_too_long_and_makes_no_folder_for_it) {
  const TemporaryFolder folder;
  const fs::path longest = [&] {
    fs::path path = fs::canonical(folder.path());
    while (path.native().size() < 300) path /= std::string(50, 'd');
    return path / std::string(503 - path.native().size(), 'f');
  }();
  ASSERT_EQ(longest.native().size(), 504U);
  const Error error = refusal(longest.string() + "f");
  EXPECT_EQ(error.code, ErrorCode::invalid_argument);
  EXPECT_NE(error.message.find("is too long: it has 505 bytes"), std::string::npos)
      << error.message;
  EXPECT_TRUE(fs::is_empty(folder.path()));
  EXPECT_NE(value_of(open_sqlite_store(longest)), nullptr);
}

TEST(OpenDatabase, says_that_a_view_stands_in_the_place_of_a_table) {
  const TemporaryFolder folder;
  value_of(open_sqlite_store(folder / "store.db"));
  {
    const Connection other = connect_plainly(folder / "store.db");
    expect_ok(execute(other.get(),
                      "PRAGMA foreign_keys = OFF; DROP TABLE agent_tool_calls;"
                      "CREATE VIEW agent_tool_calls AS SELECT * FROM agent_sessions"));
  }
  const Error error = refusal(folder / "store.db");
  EXPECT_EQ(error.code, ErrorCode::storage);
  EXPECT_NE(error.message.find("view or an index agent_tool_calls"), std::string::npos)
      << error.message;
}

TEST(OpenDatabase, says_when_the_folder_cannot_be_made) {
  const TemporaryFolder folder;
  write_file(folder / "file", "x");
  const auto opened = open_sqlite_store(folder / "file/sub/store.db");
  EXPECT_EQ(code_of(opened), ErrorCode::storage);
  EXPECT_NE(opened.error().message.find("file/sub"), std::string::npos) << opened.error().message;
}

TEST(OpenDatabase, says_when_the_folder_is_not_writable) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "locked");
  fs::permissions(folder / "locked", fs::perms(0555));
  const AsNobody nobody(folder.path());
  EXPECT_EQ(refusal(folder / "locked/store.db").code, ErrorCode::permission_denied);
  const auto nested = open_sqlite_store(folder / "locked/sub/store.db");
  EXPECT_EQ(code_of(nested), ErrorCode::permission_denied);
  EXPECT_NE(nested.error().message.find("locked/sub"), std::string::npos);
}

TEST(OpenDatabase, says_when_the_file_is_read_only) {
  const TemporaryFolder folder;
  value_of(open_sqlite_store(folder / "store.db"));
  fs::permissions(folder / "store.db", fs::perms(0444));
  const std::string before = bytes_of(folder / "store.db");
  {
    const AsNobody nobody(folder.path());
    const Error error = refusal(folder / "store.db");
    EXPECT_EQ(error.code, ErrorCode::permission_denied);
    EXPECT_NE(error.message.find("read-only"), std::string::npos) << error.message;
  }
  EXPECT_EQ(bytes_of(folder / "store.db"), before);
}

TEST(OpenDatabase, refuses_a_file_that_is_no_database_and_does_not_touch_it) {
  const TemporaryFolder folder;
  for (const std::string& content :
       {std::string("hello"), std::string("# Notes\n\nbuy milk\n"), std::string(100'000, 'x'),
        std::string(4096, '\0') + "tail", std::string("SQLite format 3") + std::string(200, 'y')}) {
    write_file(folder / "notes.md", content);
    const Error error = refusal(folder / "notes.md");
    EXPECT_EQ(error.code, ErrorCode::storage);
    EXPECT_NE(error.message.find("not a SQLite database"), std::string::npos) << error.message;
    EXPECT_EQ(bytes_of(folder / "notes.md"), content);
    EXPECT_FALSE(fs::exists(folder / "notes.md-wal"));
  }
}

TEST(OpenDatabase, says_that_a_damaged_database_is_damaged) {
  const TemporaryFolder folder;
  const fs::path path = folder / "store.db";
  value_of(open_sqlite_store(path));
  std::string bytes = bytes_of(path);
  // The first page lists the tables; its cells begin behind the 100 bytes of the file's header.
  std::fill(bytes.begin() + 100, bytes.begin() + 4096, '\x5A');
  write_file(path, bytes);
  const Error error = refusal(path);
  EXPECT_EQ(error.code, ErrorCode::storage);
  EXPECT_NE(error.message.find("damaged"), std::string::npos) << error.message;
  EXPECT_NE(error.find("sqlite_code"), nullptr);
  EXPECT_EQ(bytes_of(path), bytes);
}

TEST(OpenDatabase, says_that_damage_was_met_while_reading_and_goes_on_living) {
  const TemporaryFolder folder;
  const fs::path path = folder / "store.db";
  {
    auto store = value_of(open_sqlite_store(path));
    ASSERT_NE(store, nullptr);
    const SessionId id = value_of(store->create_session(session_named("a")));
    for (int i = 0; i < 50; ++i) {
      value_of(store->create_message(id, Role::user, std::string(2000, 'm')));
    }
  }
  std::string bytes = bytes_of(path);
  for (std::size_t at = bytes.find("mmmm"); at != std::string::npos; at = bytes.find("mmmm", at)) {
    const std::size_t page = at / 4096 * 4096;
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page), 4096, '\xFF');
  }
  write_file(path, bytes);
  auto store = value_of(open_sqlite_store(path));
  ASSERT_NE(store, nullptr);
  const auto messages = store->get_messages(1);
  EXPECT_EQ(code_of(messages), ErrorCode::storage);
  EXPECT_NE(messages.error().message.find("store.db is damaged"), std::string::npos)
      << messages.error().message;
  EXPECT_EQ(value_of(store->get_session(1)).agent_name, "a");
}

TEST(OpenDatabase, says_that_another_program_has_locked_the_file) {
  const TemporaryFolder folder;
  const fs::path path = folder / "store.db";
  const Connection other = connect_plainly(path);
  expect_ok(execute(other.get(), "CREATE TABLE t (x); BEGIN EXCLUSIVE"));
  EXPECT_EQ(refusal(path, std::chrono::milliseconds(2)).code, ErrorCode::unavailable);
  // A mere reader does not stop us from reading, but from changing the journal mode.
  expect_ok(execute(other.get(), "COMMIT; BEGIN; SELECT * FROM t"));
  EXPECT_EQ(refusal(path, std::chrono::milliseconds(2)).code, ErrorCode::unavailable);
  expect_ok(execute(other.get(), "COMMIT"));
  EXPECT_NE(value_of(open_sqlite_store(path)), nullptr);
}

TEST(OpenDatabase, a_locked_database_refuses_writes_and_still_answers_questions) {
  const TemporaryFolder folder;
  const fs::path path = folder / "store.db";
  auto store = value_of(open_sqlite_store(path, {.busy_timeout = std::chrono::milliseconds(2)}));
  ASSERT_NE(store, nullptr);
  const SessionId id = value_of(store->create_session(session_named("a")));
  const Connection other = connect_plainly(path);
  expect_ok(execute(other.get(), "BEGIN IMMEDIATE"));
  const auto created = store->create_message(id, Role::user, "x");
  EXPECT_EQ(code_of(created), ErrorCode::unavailable);
  EXPECT_NE(created.error().message.find("store.db is locked"), std::string::npos);
  EXPECT_EQ(value_of(store->get_session(id)).id, id);
  expect_ok(execute(other.get(), "COMMIT"));
  value_of(store->create_message(id, Role::user, "x"));
  EXPECT_EQ(value_of(store->get_messages(id)).size(), 1U);
}

TEST(OpenDatabase, databases_in_memory_are_private) {
  auto one = value_of(open_sqlite_store(":memory:"));
  auto two = value_of(open_sqlite_store(":memory:"));
  ASSERT_NE(one, nullptr);
  ASSERT_NE(two, nullptr);
  value_of(one->create_session(session_named("a")));
  EXPECT_TRUE(value_of(two->list_sessions({})).empty());
  EXPECT_FALSE(fs::exists(":memory:"));
}

}  // namespace
}  // namespace wright::store
