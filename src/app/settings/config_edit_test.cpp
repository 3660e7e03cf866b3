#include "app/settings/config_edit.h"

#include <gtest/gtest.h>

#include "app/settings/config.h"

namespace wright::app {
namespace {

std::string edited(std::string_view text, std::string_view key, std::string_view value) {
  const ConfigKey* found = config_key_named(key).value();
  const std::string out = with_value(text, *found, toml_value(*found, value).value()).value();
  EXPECT_TRUE(parse_config(out, "config.toml", Environment())) << out;
  return out;
}

TEST(ConfigEdit, changes_one_key_and_keeps_the_rest) {
  EXPECT_EQ(edited("", "agent.model", "offline"), "[agent]\nmodel = \"offline\"\n");
  EXPECT_EQ(edited("# mine\n[agent] # here\nmodel = \"a:b\" # old\n\n[log]\nlevel = \"off\"\n",
                   "agent.model", "offline"),
            "# mine\n[agent] # here\nmodel = \"offline\"  # old\n\n[log]\nlevel = \"off\"\n");
  EXPECT_EQ(edited("[agent]\nmodel = \"offline\"\n\n[log]\nlevel = \"off\"", "agent.undo", "false"),
            "[agent]\nmodel = \"offline\"\nundo = false\n\n[log]\nlevel = \"off\"");
  EXPECT_EQ(edited("[log]\nlevel = \"off\"", "agent.max_tokens", "50"),
            "[log]\nlevel = \"off\"\n\n[agent]\nmax_tokens = 50\n");
}

TEST(ConfigEdit, replaces_lists_over_several_lines_and_quotes_what_is_odd) {
  EXPECT_EQ(edited("[agent]\nwritable = [\n  \"a\",\n  \"b\"\n]\nmax_tokens = 5\n",
                   "agent.writable", "., lib"),
            "[agent]\nwritable = [\".\", \"lib\"]\nmax_tokens = 5\n");
  EXPECT_EQ(edited("", "agent.database", "a \"b\".db"), "[agent]\ndatabase = \"a \\\"b\\\".db\"\n");
}

TEST(ConfigEdit, keeps_comments_behind_and_within_what_it_replaces) {
  EXPECT_EQ(edited("[agent]\nmax_tokens = 1  # why\n", "agent.max_tokens", "2"),
            "[agent]\nmax_tokens = 2  # why\n");
  EXPECT_EQ(edited("[agent]\nmodel = \"a#b:c\\\"#\"\nundo = true#x\n", "agent.model", "offline"),
            "[agent]\nmodel = \"offline\"\nundo = true#x\n")
      << "a # in a text begins no comment";
  EXPECT_EQ(edited("[agent]\nmodel = 'a#b'#c\n", "agent.model", "offline"),
            "[agent]\nmodel = \"offline\"  #c\n");
  EXPECT_EQ(
      edited("[agent]\nwritable = [ # mine ]\n  \"a]\", # one\n  \"b\"\n] # last\nundo = true\n",
             "agent.writable", "."),
      "[agent]\n# mine ]\n# one\nwritable = [\".\"]  # last\nundo = true\n");
}

TEST(ConfigEdit, takes_lists_as_the_file_has_them) {
  const ConfigKey* key = config_key_named("bash.protected").value();
  for (const char* list : {R"([".git", ".wright", "my keys"])",
                           "['.git', \".wright\" , 'my keys',]", ".git, .wright,my keys"}) {
    EXPECT_EQ(toml_value(*key, list).value_or("refused"), R"([".git", ".wright", "my keys"])");
  }
  EXPECT_EQ(toml_value(*key, "[]").value_or("refused"), "[]");
  for (const char* list :
       {R"([".git", ".wright")", R"(".git", ".wright"])", "[.git, .wright]",
        R"([".git" ".wright"])", R"([".git", 7])", "['.git]", R"(["a,b"])", "\""}) {
    EXPECT_FALSE(toml_value(*key, list)) << list;
  }
}

TEST(ConfigEdit, refuses_what_it_would_change_wrongly) {
  const ConfigKey* key = config_key_named("bash.preset").value();
  for (const char* text : {"[agent]\nmodel = \"\"\"\n[bash]\npreset = "
                           "\"none\"\n\"\"\"\n[bash]\npreset = \"minimal\"\n",
                           "[agent]\nmodel = '''\n[bash]\n'''\n",
                           "bash = { preset = \"minimal\" }\n", "bash.preset = \"minimal\"\n"}) {
    const auto refused = with_value(text, *key, "\"read_only\"");
    ASSERT_FALSE(refused) << *refused;
    EXPECT_NE(refused.error().message.find("set it there yourself"), std::string::npos);
  }
}

TEST(ConfigEdit, refuses_keys_and_values_that_are_none) {
  EXPECT_EQ(config_key_named("agent.modle").error().message,
            "unknown key 'agent.modle'; did you mean 'agent.model'?");
  const ConfigKey* key = config_key_named("bash.preset").value();
  EXPECT_FALSE(toml_value(*key, "everything"));
  EXPECT_FALSE(toml_value(*config_key_named("log.level").value(), "zzz"));
  EXPECT_FALSE(toml_value(*config_key_named("log.format").value(), "yyy"));
  EXPECT_FALSE(toml_value(*config_key_named("agent.max_tokens").value(), "many"));
}

}  // namespace
}  // namespace wright::app
