#include "project/hook_scripts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tools/temporary_folder_testing.h"

namespace wright::project {
namespace {

namespace fs = std::filesystem;

class HookScriptsTest : public ::testing::Test {
 protected:
  static constexpr const char* kScript = "#!/bin/sh\n";

  Result<HookScripts> scripts_of_command(std::string command, const std::string& folder = "") {
    const Hook hook{.command = std::move(command)};
    return scripts_of({&hook, 1}, folder.empty() ? folder_.path() : folder_ / folder);
  }
  // The paths of the scripts as people are shown them.
  std::vector<std::string> shown(const std::string& command, const std::string& folder = "") {
    const auto scripts = scripts_of_command(command, folder);
    if (!scripts) return {scripts.error().message};
    std::vector<std::string> names;
    for (const std::string& line : scripts->lines) {
      const std::size_t end = line.rfind(' ', line.rfind(' ') - 1);
      names.push_back(line.substr(0, end));
    }
    return names;
  }

  const TemporaryFolder folder_;
};

using Names = std::vector<std::string>;

TEST_F(HookScriptsTest, are_found_however_a_shell_is_told_their_name) {
  folder_.write("tools/check.sh", kScript).write("tools/my check", kScript);
  const std::string base = folder_.path().string();
  for (const std::string& command : {std::string("bash tools/check.sh"),
                                     std::string("bash $(pwd)/tools/check.sh"),
                                     std::string("bash `pwd`/tools/check.sh"),
                                     std::string("bash \"$(pwd)\"/tools/check.sh"),
                                     std::string("bash \"$(pwd)/tools/check.sh\""),
                                     std::string("bash tools/che\"\"ck.sh"),
                                     std::string("bash tools/'che'ck.sh"),
                                     std::string("bash tools/$'check'.sh"),
                                     std::string("bash -c \"sh tools/che''ck.sh\""),
                                     std::string("bash \\\ntools/check.sh"),
                                     std::string("bash tools/\\\ncheck.sh"),
                                     std::string("bash $HOME/elsewhere/tools/check.sh"),
                                     std::string("bash ~/elsewhere/tools/check.sh"),
                                     std::string("cd tools && bash ./check.sh"),
                                     std::string("cd $(pwd)/tools && ./check.sh"),
                                     std::string("bash ${PWD%/}/tools/check.sh"),
                                     std::string("PATH=tools:$PATH check.sh"),
                                     std::string("bash tools/../tools/check.sh"),
                                     std::string("bash tools/ch{e,i}ck.sh"),
                                     std::string("bash tools/check{1..3}.sh tools/check.sh"),
                                     std::string("bash t*/c[gh]eck.s?"),
                                     "bash " + base + "/tools/check.sh",
                                     "bash " + base + "/tools/../tools/check.sh"}) {
    EXPECT_EQ(shown(command), Names{"tools/check.sh"}) << command;
  }
  for (const std::string command :
       {"bash \"tools/my check\"", "bash $(pwd)/tools/'my check'",
        "bash \"$(dirname \"$0\")/tools/my check\"", "tools/my\\ check"}) {
    EXPECT_EQ(shown(command), Names{"tools/my check"}) << command;
  }
  folder_.write("tools/check2.sh", kScript);
  EXPECT_EQ(shown("bash tools/check{1..3}.sh"), (Names{"tools/check.sh", "tools/check2.sh"}));
}

TEST_F(HookScriptsTest, are_found_as_the_kernel_and_as_a_shell_go_back_from_a_link) {
  folder_.write("check.sh", kScript).write("sub/check.sh", kScript).write("sub/deep/x", "");
  fs::create_directory_symlink("sub/deep", folder_ / "link");
  const Names both{"check.sh", "sub/check.sh"};
  EXPECT_EQ(shown("bash link/../check.sh"), both);
  EXPECT_EQ(shown("cd link/.. && ./check.sh"), both);
  EXPECT_EQ(shown("cd link && cd -P .. && ./check.sh"), both);
  fs::remove(folder_ / "check.sh");
  EXPECT_EQ(shown("bash link/../check.sh"), Names{"sub/check.sh"});
  const auto scripts = scripts_of_command("bash link/../check.sh");
  ASSERT_TRUE(scripts);
  EXPECT_NE(std::ranges::find(scripts->paths, folder_ / "sub/check.sh"), scripts->paths.end());
}

TEST_F(HookScriptsTest, beside_the_folder_count_where_a_relative_word_leads_there) {
  folder_.write("tools/check.sh", kScript).write("tools/notes.txt", "x").write("base/a", "");
  const Names beside{"../tools/check.sh"};
  EXPECT_EQ(shown("bash ../tools/check.sh", "base"), beside);
  EXPECT_EQ(shown("bash $(pwd)/../tools/check.sh", "base"), beside);
  EXPECT_EQ(shown("cd ../tools && ./check.sh", "base"), beside);
  EXPECT_EQ(shown("cd .. && bash tools/check.sh", "base"), beside);
  EXPECT_EQ(shown("cat ../tools/notes.txt", "base"), Names{}) << "not run, and no code";
  EXPECT_EQ(shown("sh ../tools/notes.txt", "base"), Names{"../tools/notes.txt"});
  fs::create_directory_symlink("../tools", folder_ / "base/link");
  EXPECT_EQ(shown("bash link/check.sh", "base"), Names{"link/check.sh"});
  const auto before = scripts_of_command("bash ../tools/check.sh", "base");
  folder_.write("tools/check.sh", "#!/bin/sh\ntouch it\n");
  EXPECT_NE(before->content(), scripts_of_command("bash ../tools/check.sh", "base")->content());
}

TEST_F(HookScriptsTest, of_the_system_do_not_count) {
  folder_.write("base/a", "");
  EXPECT_EQ(shown("/bin/sh -c '/usr/bin/env true'", "base"), Names{});
  const std::string elsewhere = (folder_ / "check.sh").string();
  folder_.write("check.sh", kScript);
  EXPECT_EQ(shown("bash " + elsewhere, "base"), Names{});
  // Nor does a file of that name in the folder.
  folder_.write("base/check.sh", kScript);
  EXPECT_EQ(shown("bash " + elsewhere, "base"), Names{});
  EXPECT_EQ(shown("bash \"" + elsewhere + "\"", "base"), Names{});
  EXPECT_EQ(shown("bash \"$X\"/check.sh", "base"), Names{"check.sh"});
  std::string to_the_top;
  for (int i = 0; i < 40; ++i) to_the_top += "../";
  EXPECT_EQ(shown("cd " + to_the_top + " && bin/sh -c true", "base"), Names{});
}

TEST_F(HookScriptsTest, are_found_in_a_folder_with_an_odd_name) {
  for (const std::string name : {"my project", "a[b]", "{x,y}"}) {
    folder_.write(name + "/tools/check.sh", kScript);
    for (const char* command : {"bash \"$WRIGHT_PROJECT_DIR\"/tools/check.sh --strict",
                                "bash \"$WRIGHT_PROJECT_DIR/tools/check.sh\" --strict",
                                "cd \"${CLAUDE_PROJECT_DIR}\" && bash tools/check.sh",
                                "bash \"$(git rev-parse --show-toplevel)\"/tools/check.sh"}) {
      EXPECT_EQ(shown(command, name), Names{"tools/check.sh"}) << command;
    }
  }
}

TEST_F(HookScriptsTest, are_what_follows_whatever_runs_files) {
  folder_.write("tools/check", "x").write("tools/deep/check", "x").write("README", "x");
  for (const char* command :
       {"bash -e -u -o pipefail tools/check README", "bash --rcfile none --norc tools/check",
        "python3.11 -W ignore tools/check", "/usr/bin/env -i A=1 B=2 bash tools/check",
        "timeout 5 nice -n 3 sh tools/check", "awk -f tools/check README", "make -ftools/check",
        "make --file=tools/check", "ruby3.1 tools/check", "tcsh tools/check", "sh < tools/check",
        "F=check; bash tools/$F", "T=tools/check; bash \"$T\"", "T=tools; bash $T/check",
        "for f in check other; do bash \"tools/${f}\"; done", "set -- check; sh tools/$1",
        "python3 tools/check \"$FILE\" && grep -q x README"}) {
    EXPECT_EQ(shown(command), Names{"tools/check"}) << command;
  }
  // A file with the name of a subcommand does not stand in for the script.
  folder_.write("run", "x").write("Check.java", "x").write("check.go", "x");
  EXPECT_EQ(shown("deno run tools/check"), (Names{"run", "tools/check"}));
  EXPECT_EQ(shown("java Check.java && go run check.go"), (Names{"Check.java", "check.go"}));
  EXPECT_EQ(shown("cat tools/check | bash"), Names{"tools/check"});
  EXPECT_EQ(shown("cat tools/check | bash -s -- x"), Names{"tools/check"});
  EXPECT_EQ(shown("eval \"$(<tools/check)\""), Names{"tools/check"});
  EXPECT_EQ(shown("bash $(pwd)/tools/check"), Names{"tools/check"});
  EXPECT_EQ(shown("bash `pwd`/tools/check"), Names{"tools/check"});
  EXPECT_EQ(shown("bash $(cat where)/tools/check"), Names{"tools/check"});
  EXPECT_EQ(shown("BASH_ENV=tools/check make"), Names{"tools/check"});
  // Rather one too many.
  EXPECT_EQ(shown("D=deep; bash tools/$D/check"), (Names{"tools/check", "tools/deep/check"}));
  for (const char* command : {"cat README", "sed -n 1p README", "jq . README", "grep -f README a",
                              "test -f README && make check", "wc -l < README",
                              "npx --yes markdownlint README", "uv run mypy README"}) {
    EXPECT_EQ(shown(command), Names{}) << command;
  }
}

TEST_F(HookScriptsTest, are_found_where_interpreters_look_for_them) {
  folder_.write("tools/guard.js", "x").write("lib/index.js", "x").write("web/package.json", "x");
  folder_.write("app/__main__.py", "x").write("tools/more.rb", "x").write("package.json", "x");
  EXPECT_EQ(shown("node tools/guard"), Names{"tools/guard.js"});
  EXPECT_EQ(shown("node --require ./tools/guard x"), Names{"tools/guard.js"});
  EXPECT_EQ(shown("node -e 'require(\"./tools/guard\")'"), Names{"tools/guard.js"});
  EXPECT_EQ(shown("node ./lib"), Names{"lib/index.js"});
  EXPECT_EQ(shown("python3 ./app"), Names{"app/__main__.py"});
  EXPECT_EQ(shown("ruby -r./tools/more -e 1"), Names{"tools/more.rb"});
  // What others than node are told of folders is no program.
  EXPECT_EQ(shown("bash -c 'cd web && npm test'"), Names{});
  EXPECT_EQ(shown("sh -c '. ./none && npm test'"), Names{});
}

TEST_F(HookScriptsTest, are_none_in_a_program_in_quotes) {
  std::string program = "node -e 'f(";
  for (int i = 0; i < 12; ++i) program += "{\"a\":1,\"b\":2},";
  EXPECT_TRUE(scripts_of_command(program + "0)'"));
}

TEST_F(HookScriptsTest, that_are_too_many_to_look_for_are_refused) {
  const auto refusal = [&](const std::string& command) {
    const auto scripts = scripts_of_command(command);
    return scripts ? "accepted" : scripts.error().message;
  };
  std::string braces = "true ";
  for (int i = 0; i < 28; ++i) braces += "{a,b}";
  std::string nested;
  for (int i = 0; i < 1000; ++i) nested += "{a,";
  for (int i = 0; i < 1000; ++i) nested += "}";
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    fs::create_directory_symlink(".", folder_ / name);
  }
  std::string links = "true";
  for (int i = 1; i < 12; ++i) links += fmt::format(" {}a", fmt::join(Names(i, "b/"), ""));
  std::string slashes = "true ";
  for (int i = 0; i < 100'000; ++i) slashes += "/a";
  std::string folders = "true ";
  for (int i = 0; i < 50'000; ++i) folders += "$PWD/";
  for (const std::string& command :
       {braces, "true " + nested, std::string("true */*/*/*/*/*/*/*/*/*/*/*/*/x"), links}) {
    const std::string said = refusal(command);
    EXPECT_NE(said.find("is more than can be agreed to"), std::string::npos)
        << command.substr(0, 40) << ": " << said;
    EXPECT_LT(said.size(), 200U);
  }
  EXPECT_EQ(refusal("true {a,b}{a,b}{a,b} */*/x a/b/c"), "accepted");
  EXPECT_EQ(refusal(slashes + "*/*/*"), "accepted") << "no path is that long";
  EXPECT_EQ(refusal(folders), "accepted");
}

}  // namespace
}  // namespace wright::project
