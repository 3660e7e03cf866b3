#include "tools/files/tree_walk.h"

#include <unistd.h>

#include "tools/temporary_folder_testing.h"

namespace wright::tools {
namespace {

struct Walked {
  Strings paths;
  Skipped skipped;
};

Walked walked(const TemporaryFolder& base, const WalkOptions& options = {},
              const std::string& folder = ".", Resolver resolver = Resolver::kernel) {
  const auto workspace = Workspace::open({.base = base.path()}, resolver);
  const auto opened = workspace->open_folder(folder);
  Walked made;
  const auto skipped = walk(*workspace, *opened, options, {}, [&](const WalkEntry& entry) {
    made.paths.push_back(entry.kind == EntryKind::folder ? entry.path + "/" : entry.path);
    return Visited::proceed;
  });
  EXPECT_TRUE(skipped);
  made.skipped = skipped.value_or(Skipped{});
  return made;
}

TEST(Walk, visits_files_in_the_order_of_their_paths) {
  const TemporaryFolder base;
  for (const char* path : {"a/x", "a-b/x", "a.c", "a/b/c", "b", "B", "a0/x", "é"}) base.write(path);
  Strings expected = {"B", "a-b/x", "a.c", "a/b/c", "a/x", "a0/x", "b", "é"};
  EXPECT_TRUE(std::ranges::is_sorted(expected));
  EXPECT_EQ(walked(base).paths, expected);
}

TEST(Walk, leaves_out_hidden_entries_and_always_git_and_node_modules) {
  const TemporaryFolder base;
  base.write(".hidden").write(".config/x").write(".git/config").write("shown");
  base.write("node_modules/m/index.js").write("sub/node_modules/x").write("sub/.env");
  const auto plain = walked(base);
  EXPECT_EQ(plain.paths, (Strings{"shown"}));
  EXPECT_EQ(plain.skipped.hidden, 4);
  EXPECT_EQ(plain.skipped.ignored, 2);
  const auto all = walked(base, {.hidden = Hidden::visit});
  EXPECT_EQ(all.paths, (Strings{".config/x", ".hidden", "shown", "sub/.env"}));
  EXPECT_EQ(all.skipped.hidden, 1);
}

TEST(Walk, keeps_nothing_below_an_ignored_folder) {
  const TemporaryFolder base;
  base.write(".gitignore", "build/\n!build/keep\n*.log\n!keep.log\n");
  base.write("build/keep").write("build/x").write("a.log").write("keep.log").write("src/b.log");
  const auto found = walked(base);
  EXPECT_EQ(found.paths, (Strings{"keep.log"}));
  EXPECT_EQ(found.skipped.ignored, 3);
}

TEST(Walk, applies_rules_from_above_the_base_up_to_the_repository) {
  const TemporaryFolder outer;
  outer.write(".gitignore", "*\n");
  outer.write("repo/.git/HEAD").write("repo/.gitignore", "*.tmp\n/base/gen/\n");
  outer.write("repo/.git/info/exclude", "private\n");
  outer.write("repo/base/a.tmp").write("repo/base/gen/x").write("repo/base/private");
  outer.write("repo/base/sub/gen/x").write("repo/base/kept");
  const auto workspace = Workspace::open({.base = outer / "repo/base"});
  const auto folder = workspace->open_folder(".");
  Strings paths;
  ASSERT_TRUE(walk(*workspace, *folder, {}, {}, [&](const WalkEntry& entry) {
    paths.push_back(entry.path);
    return Visited::proceed;
  }));
  EXPECT_EQ(paths, (Strings{"kept", "sub/gen/x"}));
}

TEST(Walk, ends_the_rules_at_the_root_of_a_nested_repository) {
  const TemporaryFolder base;
  base.write(".gitignore", "*.o\n").write("a.o").write("nested/.git/HEAD").write("nested/b.o");
  base.write("nested/.git/info/exclude", "secret\n").write("nested/secret");
  base.write("nested/deeper/c.o").write("plain/d.o");
  EXPECT_EQ(walked(base).paths, (Strings{"nested/b.o", "nested/deeper/c.o"}));
}

TEST(Walk, finds_the_rules_of_worktrees_and_submodules_where_git_keeps_them) {
  const TemporaryFolder base;
  const TemporaryFolder elsewhere;
  const std::string repository = shell_word((elsewhere / "main").native());
  const std::string as_somebody = " -c user.name=x -c user.email=x@localhost ";
  output_of("git init -q " + repository + " && git" + as_somebody + "-C " + repository +
            " commit -q --allow-empty -m x && git -C " + repository + " worktree add -q -b tree " +
            shell_word((base / "tree").native()) + " 2>&1");
  elsewhere.write("main/.git/info/exclude", "*.o\n");
  base.write("tree/a.o").write("tree/a.c");
  EXPECT_EQ(walked(base).paths, (Strings{"tree/a.c"}));
  // A submodule has a folder of its own in the repository around it.
  base.write("module/.git", "gitdir: ../.git/modules/module\n");
  base.write(".git/modules/module/info/exclude", "secret\n");
  base.write("module/secret").write("module/b.o");
  EXPECT_EQ(walked(base).paths, (Strings{"module/b.o", "tree/a.c"}));
  for (const char* broken : {"gitdir: /nowhere", "gitdir:", "", "gitdir: .\n", "something else"}) {
    base.write("module/.git", broken);
    EXPECT_EQ(walked(base, {}, "module").paths, (Strings{"module/b.o", "module/secret"}));
  }
}

TEST(Walk, looks_into_the_folder_it_was_asked_for_even_where_that_is_ignored) {
  const TemporaryFolder base;
  base.write(".gitignore", "build/\n*.o\n").write("build/x").write("build/y.o");
  base.write(".hidden/x").write("node_modules/x");
  EXPECT_EQ(walked(base, {}, "build").paths, (Strings{"build/x"}));
  EXPECT_EQ(walked(base, {}, ".hidden").paths, (Strings{".hidden/x"}));
  EXPECT_EQ(walked(base, {}, "node_modules").paths, (Strings{"node_modules/x"}));
}

TEST(Walk, reads_no_rules_through_links_or_pipes) {
  const TemporaryFolder base;
  const TemporaryFolder outside;
  outside.write("rules", "*\n");
  base.link(".gitignore", outside / "rules").write("a").make_folder("sub").write("sub/b");
  ASSERT_EQ(::mkfifo((base / "sub/.gitignore").c_str(), 0600), 0);
  EXPECT_EQ(walked(base).paths, (Strings{"a", "sub/b"}));
}

TEST(Walk, shows_linked_files_that_stay_inside_and_enters_no_linked_folder) {
  const TemporaryFolder base;
  const TemporaryFolder outside;
  outside.write("secret").write("folder/x");
  base.write("dir/file").link("good", "dir/file").link("to_dir", "dir").link("up", "..");
  base.link("bad", outside / "secret").link("bad_dir", outside / "folder").link("broken", "no");
  base.link("dir/loop", ".");
  for (const Resolver resolver : {Resolver::kernel, Resolver::by_hand}) {
    const auto followed = walked(base, {.links = Links::follow}, ".", resolver);
    EXPECT_EQ(followed.paths, (Strings{"dir/file", "good"}));
    EXPECT_EQ(followed.skipped.unreadable.count, 4);
    EXPECT_EQ(followed.skipped.unreadable.paths, (Strings{"bad", "bad_dir", "broken", "up"}));
    EXPECT_EQ(followed.skipped.links.paths, (Strings{"to_dir", "dir/loop"}));
    EXPECT_EQ(followed.skipped.lost.count, 0) << "nothing of the folder itself is missing";
    EXPECT_EQ(walked(base, {}, ".", resolver).skipped.links.count, 7);
    EXPECT_EQ(walked(base, {}, ".", resolver).paths, (Strings{"dir/file"}));
    const auto entries =
        walked(base, {.extent = Extent::entries, .links = Links::follow}, ".", resolver);
    EXPECT_EQ(entries.paths, (Strings{"dir/", "good", "to_dir/"}));
    EXPECT_EQ(walked(base, {}, "to_dir", resolver).paths, (Strings{"to_dir/file"}));
  }
}

TEST(Walk, survives_very_deep_nesting) {
  const TemporaryFolder base;
  std::string path;
  for (int i = 0; i < 300; ++i) path += "d/";
  base.write(path + "bottom");
  for (const Resolver resolver : {Resolver::kernel, Resolver::by_hand}) {
    EXPECT_EQ(walked(base, {}, ".", resolver).paths, (Strings{path + "bottom"}));
  }
}

// More folders than are held open at once, so that those above must be opened again on the way
// back.
TEST(Walk, finds_what_comes_after_a_very_deep_folder) {
  const TemporaryFolder base;
  std::string path;
  Strings expected;
  for (int i = 0; i < 200; ++i) {
    base.write(path + "z");
    expected.push_back(path + "z");
    path += "d/";
  }
  base.write(path + "bottom").write("after/x");
  expected.push_back(path + "bottom");
  expected.emplace_back("after/x");
  std::ranges::sort(expected);
  for (const Resolver resolver : {Resolver::kernel, Resolver::by_hand}) {
    const auto found = walked(base, {}, ".", resolver);
    EXPECT_EQ(found.paths, expected);
    EXPECT_EQ(found.skipped.unreadable.count, 0);
    EXPECT_EQ(walked(base, {}, "d", resolver).paths.size(), expected.size() - 2);
  }
}

TEST(Walk, counts_what_lies_deeper_than_any_path_can_name) {
  const TemporaryFolder base;
  base.write("top");
  // Longer than PATH_MAX in all, so it has to be made (and removed) step by step.
  const std::string name(200, 'n');
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(base.path());
  for (int i = 0; i < 30; ++i) {
    std::filesystem::create_directory(name);
    std::filesystem::current_path(name);
  }
  std::ofstream("bottom") << "x";
  std::filesystem::current_path(before);
  const auto found = walked(base);
  EXPECT_EQ(found.paths, (Strings{"top"}));
  EXPECT_EQ(found.skipped.unreadable.count, 1);
  EXPECT_EQ(found.skipped.lost.count, 1);
  output_of("rm -rf " + shell_word(base.path().native()));
}

TEST(Walk, counts_folders_that_may_not_be_read) {
  const TemporaryFolder base;
  base.write("open/a").write("closed/b");
  ASSERT_EQ(::chmod(base.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod((base / "closed").c_str(), 0), 0);
  Walked found;
  {
    const WithoutRoot without_root;
    found = walked(base);
  }
  ASSERT_EQ(::chmod((base / "closed").c_str(), 0755), 0);
  EXPECT_EQ(found.paths, (Strings{"open/a"}));
  EXPECT_EQ(found.skipped.unreadable.count, 1);
  EXPECT_EQ(found.skipped.lost.paths, (Strings{"closed"}));
}

TEST(Walk, skips_pipes_and_counts_them) {
  const TemporaryFolder base;
  base.write("a");
  ASSERT_EQ(::mkfifo((base / "pipe").c_str(), 0600), 0);
  const auto found = walked(base, {.sizes = Sizes::known});
  EXPECT_EQ(found.paths, (Strings{"a"}));
  EXPECT_EQ(found.skipped.unreadable.count, 1);
}

TEST(Walk, ends_when_it_is_stopped_or_the_visitor_has_enough) {
  const TemporaryFolder base;
  for (int i = 0; i < 20; ++i) base.write(fmt::format("{}/x", i));
  const auto workspace = Workspace::open({.base = base.path()});
  const auto folder = workspace->open_folder(".");
  std::stop_source source;
  int visited = 0;
  const auto stopped = walk(*workspace, *folder, {}, source.get_token(), [&](const WalkEntry&) {
    if (++visited == 3) source.request_stop();
    return Visited::proceed;
  });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, ErrorCode::cancelled);
  EXPECT_EQ(visited, 3);
  visited = 0;
  EXPECT_TRUE(walk(*workspace, *folder, {}, {}, [&](const WalkEntry&) {
    return ++visited == 5 ? Visited::end : Visited::proceed;
  }));
  EXPECT_EQ(visited, 5);
}

}  // namespace
}  // namespace wright::tools
