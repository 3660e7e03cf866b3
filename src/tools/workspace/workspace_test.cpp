#include "tools/workspace/workspace.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>

#include "tools/temporary_folder_testing.h"
#include "tools/text/text_file.h"

namespace wright::tools {
namespace {

constexpr std::string_view kSecret = "the secret outside";

// What is read through a workspace: the content, or the code of the error.
std::string outcome(const Workspace& workspace, std::string_view path) {
  const auto located = workspace.locate(path);
  if (!located) return std::string(to_string(located.error().code));
  const auto file = workspace.open_file(*located);
  if (!file) return std::string(to_string(file.error().code));
  std::array<char, 256> buffer;
  const auto length = read_fully(file->descriptor.get(), buffer);
  return length ? std::string(buffer.data(), *length) : "unreadable";
}

// Both ways of resolving paths must give the same answers.
class Confinement : public ::testing::TestWithParam<Resolver> {
 protected:
  Confinement() {
    outside.write("secret", kSecret);
    base.write("file", "inside").write("a/b/deep", "deep").make_folder("empty");
  }

  void SetUp() override {
    const FileDescriptor folder(::open(base.path().c_str(), O_RDONLY | O_CLOEXEC));
    if (GetParam() == Resolver::kernel && available_resolver(folder.get()) == Resolver::by_hand) {
      GTEST_SKIP() << "this system has no openat2";
    }
  }

  Workspace workspace() const {
    auto opened = Workspace::open({.base = base.path()}, GetParam());
    EXPECT_TRUE(opened);
    return std::move(*opened);
  }

  TemporaryFolder base;
  TemporaryFolder outside;
};

INSTANTIATE_TEST_SUITE_P(Resolvers, Confinement,
                         ::testing::Values(Resolver::kernel, Resolver::by_hand),
                         [](const auto& info) {
                           return info.param == Resolver::kernel ? "kernel" : "by_hand";
                         });

TEST_P(Confinement, holds_against_hostile_paths) {
  const std::string out = outside.path().native();
  const std::string in = base.path().native();
  base.link("to_file", "file")
      .link("a/up_and_in", "../file")
      .link("to_folder", "a/b")
      .link("chain", "to_folder/deep")
      .link("absolute_in", base / "file")
      .link("to_secret", outside / "secret")
      .link("to_outside", outside.path())
      .link("a/b/climb", "../../../" + outside.path().filename().native() + "/secret")
      .link("to_parent", "..")
      .link("to_root", "/")
      .link("circle", "circle")
      .link("ping", "pong")
      .link("pong", "ping")
      .link("dangling", "nowhere")
      .link("folder_slash", "a/b/");
  const struct {
    std::string path;
    std::string expected;
  } kCases[] = {
      {"file", "inside"},
      {"./file", "inside"},
      {".//a/./b//deep", "deep"},
      {"a/../file", "inside"},
      {"nowhere/../file", "inside"},
      {in + "/file", "inside"},
      {in + "//a/b/../../file", "inside"},
      {"to_file", "inside"},
      {"a/up_and_in", "inside"},
      {"to_folder/deep", "deep"},
      {"folder_slash/deep", "deep"},
      {"chain", "deep"},
      {"", "invalid_argument"},
      {"nowhere", "not_found"},
      {"dangling", "not_found"},
      {"a", "invalid_argument"},
      {".", "invalid_argument"},
      {in, "invalid_argument"},
      {"file/x", "invalid_argument"},
      {"file/../file", "inside"},
      {"..", "permission_denied"},
      {"../" + outside.path().filename().native() + "/secret", "permission_denied"},
      {"a/../../x", "permission_denied"},
      {"a/b/../../../x", "permission_denied"},
      {"/", "permission_denied"},
      {"/etc/passwd", "permission_denied"},
      {out + "/secret", "permission_denied"},
      {in + "/../" + outside.path().filename().native() + "/secret", "permission_denied"},
      {in + "x", "permission_denied"},
      {"//etc/passwd", "permission_denied"},
      {"to_secret", "permission_denied"},
      {"to_outside/secret", "permission_denied"},
      {"a/b/climb", "permission_denied"},
      {"to_parent/" + outside.path().filename().native() + "/secret", "permission_denied"},
      {"to_root/etc/passwd", "permission_denied"},
      {"absolute_in", "permission_denied"},
      {"circle", "permission_denied"},
      {"ping", "permission_denied"},
      {std::string("file\0.txt", 9), "invalid_argument"},
      {std::string("\0", 1), "invalid_argument"},
      {std::string(300, 'n'), "invalid_argument"},
      {std::string(5000, 'n'), "invalid_argument"},
      {"~/file", "not_found"},
      {"$HOME", "not_found"},
      {"file\n", "not_found"},
      {"\xFF\xFE", "not_found"},
      {"a\\..\\file", "not_found"},
      {"%2e%2e/secret", "not_found"},
  };
  const Workspace workspace = this->workspace();
  for (const auto& c : kCases) {
    EXPECT_EQ(outcome(workspace, c.path), c.expected) << c.path;
  }
}

TEST_P(Confinement, names_the_base_when_it_refuses) {
  const auto located = workspace().locate("/etc/passwd");
  ASSERT_FALSE(located);
  EXPECT_EQ(located.error().message, "'/etc/passwd' lies outside of the base folder '" +
                                         base.path().native() +
                                         "'; only paths inside of it are allowed");
}

TEST_P(Confinement, does_not_follow_the_magic_links_of_proc) {
  const auto proc = Workspace::open({.base = "/proc/self"}, GetParam());
  ASSERT_TRUE(proc);
  EXPECT_EQ(outcome(*proc, "root/etc/passwd"), "permission_denied");
  EXPECT_EQ(outcome(*proc, "cwd"), "permission_denied");
  EXPECT_EQ(outcome(*proc, "exe"), "permission_denied");
  const FileDescriptor secret(::open((outside / "secret").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(outcome(*proc, fmt::format("fd/{}", secret.get())), "permission_denied");
  std::string name;
  std::getline(std::ifstream("/proc/self/comm"), name);
  EXPECT_EQ(outcome(*proc, "comm"), name + "\n");
}

TEST_P(Confinement, refuses_pipes_sockets_and_devices_without_blocking) {
  ASSERT_EQ(::mkfifo((base / "pipe").c_str(), 0600), 0);
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = base / "socket";
  ASSERT_LT(name.size(), sizeof address.sun_path);
  name.copy(address.sun_path, name.size());
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);

  const Workspace workspace = this->workspace();
  for (const char* path : {"pipe", "socket"}) {
    const auto opened = workspace.open_file(path);
    ASSERT_FALSE(opened) << path;
    EXPECT_EQ(opened.error().message,
              fmt::format("'{}' is not a regular file but a pipe, socket or device", path));
  }
  const auto devices = Workspace::open({.base = "/dev"}, GetParam());
  ASSERT_TRUE(devices);
  EXPECT_EQ(outcome(*devices, "null"), "invalid_argument");
}

TEST_P(Confinement, never_lets_a_race_of_links_lead_outside) {
  // One name is in turn a folder inside and a link to the outside; both have a file `secret`.
  base.write("real/secret", "inside");
  base.link("bait", outside.path());
  const Workspace workspace = this->workspace();
  std::atomic<bool> is_over = false;
  std::thread swapper([&] {
    while (!is_over) {
      ::renameat2(AT_FDCWD, (base / "real").c_str(), AT_FDCWD, (base / "bait").c_str(),
                  RENAME_EXCHANGE);
    }
  });
  int read_inside = 0;
  int refused = 0;
  bool has_leaked = false;
  constexpr int kMaxTries = 200'000;
  for (int i = 0; i < kMaxTries && (i < 2'000 || read_inside == 0 || refused == 0); ++i) {
    const std::string got = outcome(workspace, i % 2 == 0 ? "real/secret" : "bait/secret");
    has_leaked = has_leaked || got == kSecret;
    ++(got == "inside" ? read_inside : refused);
    if (const auto folder = workspace.open_folder("real")) {
      const auto file = folder->open_file("secret");
      std::array<char, 256> buffer;
      const std::size_t length = file ? read_fully(file->descriptor.get(), buffer).value_or(0) : 0;
      has_leaked = has_leaked || std::string_view(buffer.data(), length) == kSecret;
    }
  }
  is_over = true;
  swapper.join();
  EXPECT_FALSE(has_leaked);
  EXPECT_GT(read_inside, 0);
  EXPECT_GT(refused, 0);
}

TEST_P(Confinement, follows_no_link_below_an_open_folder) {
  base.link("a/to_deep", "b/deep").link("a/to_b", "b");
  const Workspace workspace = this->workspace();
  const auto folder = workspace.open_folder("a");
  ASSERT_TRUE(folder);
  EXPECT_TRUE(folder->open_file("b/deep"));
  EXPECT_FALSE(folder->open_file("to_deep"));
  EXPECT_FALSE(folder->open_file("to_b/deep"));
  EXPECT_FALSE(folder->open_folder("to_b"));
  EXPECT_FALSE(folder->open_file("../file"));
  EXPECT_TRUE(folder->open_folder("b"));
  EXPECT_EQ(folder->open_folder("b/deep").error(), ENOTDIR);
}

TEST_P(Confinement, keeps_working_when_the_base_is_renamed) {
  const Workspace workspace = this->workspace();
  const TemporaryFolder elsewhere;
  std::filesystem::rename(base.path(), elsewhere / "moved");
  EXPECT_EQ(outcome(workspace, "a/b/deep"), "deep");
  std::filesystem::rename(elsewhere / "moved", base.path());
}

TEST_P(Confinement, hides_folders_by_every_way_that_leads_there) {
  base.write("own/rules", "mine").write("own/output/long", "paged").write("owner", "other");
  base.link("to_own", "own").link("to_rules", "own/rules").link("a/up", "../own");
  const auto workspace =
      Workspace::open({.base = base.path(),
                       .readable = {base / "own/output"},
                       .writable = {"."},
                       .hidden = {base / "own", base / "later/rules", outside.path()}},
                      GetParam());
  ASSERT_TRUE(workspace);
  for (const char* path :
       {"own/rules", "./own/../own/rules", "to_own/rules", "to_rules", "a/up/rules"}) {
    EXPECT_EQ(outcome(*workspace, path), "not_found") << path;
    EXPECT_FALSE(workspace->write_target(workspace->locate(path).value_or(""))) << path;
  }
  EXPECT_EQ(outcome(*workspace, (base / "own/rules").native()), "not_found");
  EXPECT_FALSE(workspace->open_folder("own"));
  EXPECT_FALSE(workspace->open_folder("to_own"));
  EXPECT_FALSE(workspace->write_target("own/new"));
  EXPECT_FALSE(workspace->write_target("later/rules")) << "what is not there is not made either";
  EXPECT_EQ(outcome(*workspace, (base / "own/output/long").native()), "paged");
  EXPECT_EQ(outcome(*workspace, "owner"), "other");
  EXPECT_TRUE(workspace->write_target("later/other"));
}

TEST(Workspace, refuses_a_base_that_is_no_readable_folder) {
  const TemporaryFolder folder;
  folder.write("file");
  const auto message = [&](const std::filesystem::path& base) {
    const auto opened = file_tools(base);
    return opened ? std::string("accepted") : opened.error().message;
  };
  EXPECT_EQ(message(folder / "nowhere"),
            "The base folder '" + (folder / "nowhere").native() + "' does not exist");
  EXPECT_EQ(message(folder / "file"),
            "The base '" + (folder / "file").native() + "' is not a folder");
  EXPECT_NE(message(""), "accepted");
  EXPECT_EQ(message(folder.path()), "accepted");
}

TEST(Workspace, accepts_absolute_paths_through_the_link_that_named_the_base) {
  const TemporaryFolder folder;
  folder.write("real/file", "x").link("alias", "real");
  const auto workspace = Workspace::open({.base = folder / "alias"});
  ASSERT_TRUE(workspace);
  EXPECT_EQ(workspace->base(), folder / "real");
  EXPECT_EQ(outcome(*workspace, (folder / "alias/file").native()), "x");
  EXPECT_EQ(outcome(*workspace, (folder / "real/file").native()), "x");
}

TEST(Workspace, accepts_the_root_as_its_base) {
  const auto workspace = Workspace::open({.base = "/"});
  ASSERT_TRUE(workspace);
  EXPECT_EQ(workspace->locate("/etc/../etc/passwd").value_or(""), "etc/passwd");
  EXPECT_EQ(workspace->locate("/").value_or(""), ".");
}

TEST(Workspace, keeps_what_commands_may_not_read_from_all_tools) {
  const TemporaryFolder folder;
  folder.write(".env", kSecret)
      .write("deploy/prod.env", kSecret)
      .write("home/.aws/credentials", kSecret)
      .write("home/.aws/config", "fine")
      .write("keys/k", kSecret)
      .write("environment", "fine")
      .link("link", ".env");
  auto patterns = usual_secrets();
  patterns.push_back((folder / "keys").string());
  const auto workspace =
      Workspace::open({.base = folder.path(), .writable = {"."}, .unreadable = patterns});
  ASSERT_TRUE(workspace) << workspace.error().message;
  for (const char* path : {".env", "deploy/prod.env", "home/.aws/credentials", "link", "keys/k"}) {
    EXPECT_EQ(outcome(*workspace, path), "not_found") << path;
    EXPECT_FALSE(workspace->write_target(path)) << path;
  }
  EXPECT_EQ(outcome(*workspace, "home/.aws/config"), "fine");
  EXPECT_EQ(outcome(*workspace, "environment"), "fine");
  EXPECT_TRUE(workspace->hides("a/.env/x"));
}

TEST(Workspace, keeps_what_links_with_such_names_lead_to_from_all_tools) {
  const TemporaryFolder folder;
  folder.write("prod.txt", kSecret)
      .write("dotaws/credentials", kSecret)
      .write("dotaws/config", "fine")
      .write("real/own", kSecret)
      .link("deploy/.env", "../prod.txt")
      .link(".aws", "dotaws")
      .link("named", "real")
      .link("way", "dotaws");
  auto patterns = usual_secrets();
  patterns.push_back((folder / "named").string());
  const auto workspace =
      Workspace::open({.base = folder.path(), .writable = {"."}, .unreadable = patterns});
  ASSERT_TRUE(workspace) << workspace.error().message;
  for (const char* path : {"prod.txt", "deploy/.env", "dotaws/credentials", ".aws/credentials",
                           "real/own", "named/own"}) {
    EXPECT_EQ(outcome(*workspace, path), "not_found") << path;
    EXPECT_FALSE(workspace->write_target(path)) << path;
  }
  EXPECT_TRUE(workspace->hides("prod.txt"));
  const auto tools = file_tools({.base = folder.path(), .unreadable = patterns}).value();
  for (const char* where : {".", "way", "named", "real", "dotaws"}) {
    const auto found =
        call(tools, "grep", fmt::format(R"({{"pattern":"{}","path":"{}"}})", kSecret, where));
    EXPECT_EQ(found ? found->at("total_matches").as_int64() : 0, 0) << where;
  }
  EXPECT_EQ(outcome(*workspace, "dotaws/config"), "fine");
  EXPECT_EQ(outcome(*workspace, ".aws/config"), "fine");
}

TEST(Workspace, writes_no_second_file_beside_one_whose_name_is_no_utf8) {
  const TemporaryFolder folder;
  folder.write("bad\xff.txt", "old").write("good\uFFFD.txt", "old");
  const auto workspace = Workspace::open({.base = folder.path(), .writable = {"."}});
  ASSERT_TRUE(workspace) << workspace.error().message;
  EXPECT_EQ(outcome(*workspace, "bad\uFFFD.txt"), "old");
  const auto refused = workspace->write_target("bad\uFFFD.txt");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE(workspace->write_target("good\uFFFD.txt"));
  EXPECT_TRUE(workspace->write_target("other\uFFFD.txt"));
}

TEST(Workspace, protects_the_same_paths_as_the_sandbox) {
  const TemporaryFolder folder;
  folder.write(".wright/hooks.json", "{}")
      .write("tools/check.sh", "")
      .write("config/x", "")
      .link("way", ".wright");
  const auto workspace = Workspace::open(
      {.base = folder.path(),
       .writable = {"."},
       .protected_paths = {".git", ".wright", "config/x", (folder / "tools/check.sh").string()}});
  ASSERT_TRUE(workspace) << workspace.error().message;
  for (const char* path : {".wright/hooks.json", ".wright/commands/new.md", "sub/.wright/y",
                           ".WRIGHT/x", "config/x", "tools/check.sh", ".git/config"}) {
    EXPECT_FALSE(workspace->write_target(path)) << path;
  }
  for (const char* path : {"config/y", "tools/check.shx", "a.wright"}) {
    EXPECT_TRUE(workspace->write_target(path)) << path;
  }
  const auto tools = editing_tools({.base = folder.path(), .writable = {"."}});
  ASSERT_TRUE(tools);
  const auto through_link =
      testing::answer_of(tools->front(), {{"path", "way/hooks.json"}, {"content", "x"}});
  ASSERT_FALSE(through_link);
  EXPECT_EQ(through_link.error().code, ErrorCode::permission_denied);
}

TEST(Workspace, protects_what_a_repository_further_down_names) {
  const TemporaryFolder folder;
  folder
      .write("sub/.git/config",
             "[core]\n\thooksPath = ../hooks\n[include]\n\tpath = ../../common.gitconfig\n")
      .write("hooks/pre-commit", "")
      .write("mirror.git/HEAD", "ref: refs/heads/main\n")
      .write("mirror.git/config", "[core]\n\tfsmonitor = ../tools/watch\n")
      .make_folder("mirror.git/objects")
      .make_folder("mirror.git/refs")
      .write("tools/watch", "")
      .link("way", "hooks");
  const auto workspace = Workspace::open({.base = folder.path(), .writable = {"."}});
  ASSERT_TRUE(workspace) << workspace.error().message;
  for (const char* path : {"hooks/pre-commit", "hooks/post-checkout", "common.gitconfig",
                           "mirror.git/description", "tools/watch"}) {
    EXPECT_FALSE(workspace->write_target(path)) << path;
  }
  for (const char* path : {"sub/main.c", "hooks.txt", "tools/other"}) {
    EXPECT_TRUE(workspace->write_target(path)) << path;
  }
  const auto tools = editing_tools({.base = folder.path(), .writable = {"."}});
  ASSERT_TRUE(tools);
  const auto through_link =
      testing::answer_of(tools->front(), {{"path", "way/pre-commit"}, {"content", "x"}});
  ASSERT_FALSE(through_link);
  EXPECT_EQ(through_link.error().code, ErrorCode::permission_denied);
}

TEST(Protected, paths_are_meant_below_the_base_and_under_every_name) {
  const TemporaryFolder folder;
  folder.write("lib/keys/k", "").write("src/keys/k", "").link("alias", "lib");
  const auto part = Workspace::open(
      {.base = folder.path(), .writable = {"src"}, .protected_paths = {"src/keys"}});
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_FALSE(part->write_target("src/keys/k"));
  EXPECT_TRUE(part->write_target("src/other"));
  const auto linked = Workspace::open(
      {.base = folder.path(), .writable = {"."}, .protected_paths = {"alias/keys"}});
  ASSERT_TRUE(linked) << linked.error().message;
  EXPECT_FALSE(linked->write_target("alias/keys/k"));
  EXPECT_FALSE(linked->write_target("lib/keys/k"));
  EXPECT_TRUE(linked->write_target("lib/other"));
}

TEST(ShownPath, is_one_line_whatever_the_name_is) {
  EXPECT_EQ(shown_path("a\n  remove b\rc"), "'a\\n  remove b\\rc'");
  EXPECT_EQ(shown_path("a b"), "'a b'");
}

}  // namespace
}  // namespace wright::tools
