#include "offline/manifests.h"

#include <gtest/gtest.h>

namespace wright::offline {
namespace {

using Names = std::vector<std::string>;

TEST(Manifests, reads_package_json) {
  const auto manifest = read_manifest(
      "web/package.json",
      R"({"name":"site","version":"1.2.0","description":"A site","bin":{"site":"cli.js"},"scripts":{"test":"x"},"dependencies":{"react":"^18"}})");
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->name, "site");
  EXPECT_EQ(manifest->version, "1.2.0");
  EXPECT_EQ(manifest->description, "A site");
  EXPECT_EQ(manifest->dependencies, Names{"react ^18"});
  EXPECT_EQ(manifest->entry_points, Names{"site cli.js"});
}

TEST(Manifests, reads_cargo_and_pyproject) {
  const auto cargo = read_manifest(
      "Cargo.toml",
      "[package]\nname = \"tool\"\nversion = \"0.3.1\"\n\n[dependencies]\nserde = { version = "
      "\"1\" }\nregex = \"1.9\"\n\n[dev-dependencies]\ntempfile = "
      "\"3\"\n\n[dependencies.rand]\nversion = \"1\"\n");
  ASSERT_TRUE(cargo);
  EXPECT_EQ(cargo->name, "tool");
  EXPECT_EQ(cargo->dependencies, (Names{"serde", "regex", "tempfile", "rand"}));
  const auto python = read_manifest(
      "pyproject.toml",
      "[project]\nname = \"thing\"\ndependencies = [\n  \"requests>=2\",\n  \"rich\",\n]\n\n"
      "[project.scripts]\nthing = \"thing.cli:main\"\n");
  ASSERT_TRUE(python);
  EXPECT_EQ(python->dependencies, (Names{"requests>=2", "rich"}));
  EXPECT_EQ(python->entry_points, Names{"thing = thing.cli:main"});
}

TEST(Manifests, reads_cmake_and_go) {
  const auto cmake = read_manifest("CMakeLists.txt",
                                   "project(demo VERSION 2.1\n  DESCRIPTION \"A demo\")\n"
                                   "find_package(fmt REQUIRED)\nadd_executable(demo main.cpp)\n");
  ASSERT_TRUE(cmake);
  EXPECT_EQ(cmake->name, "demo");
  EXPECT_EQ(cmake->version, "2.1");
  EXPECT_EQ(cmake->description, "A demo");
  EXPECT_EQ(cmake->dependencies, Names{"fmt"});
  EXPECT_EQ(cmake->entry_points, Names{"demo"});
  const auto go =
      read_manifest("go.mod", "module example.org/x\n\nrequire (\n\tgolang.org/x/net v0.1.0\n)\n");
  ASSERT_TRUE(go);
  EXPECT_EQ(go->name, "example.org/x");
  EXPECT_EQ(go->dependencies, Names{"golang.org/x/net v0.1.0"});
}

TEST(Manifests, reads_what_a_setup_script_says_in_plain_text) {
  const auto script = read_manifest(
      "setup.py",
      "from setuptools import setup\nsetup(name=\"zed\", version=\"2.3.1\", license='MIT',\n"
      "  install_requires=['requests>=2', \"attrs\"],\n"
      "  entry_points={\"console_scripts\": [\"zed=pkg.core:run\"]})\n");
  ASSERT_TRUE(script);
  EXPECT_EQ(script->name, "zed");
  EXPECT_EQ(script->version, "2.3.1");
  EXPECT_EQ(script->licence, "MIT");
  EXPECT_EQ(script->dependencies, (Names{"requests>=2", "attrs"}));
  EXPECT_EQ(script->entry_points, Names{"zed=pkg.core:run"});
  const auto settings = read_manifest(
      "setup.cfg",
      "[metadata]\nname = zed\nlicense = BSD\n\n[options]\ninstall_requires =\n    attrs\n"
      "[options.entry_points]\nconsole_scripts =\n    zed = pkg.core:run\n");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->licence, "BSD");
  EXPECT_EQ(settings->dependencies, Names{"attrs"});
  EXPECT_EQ(settings->entry_points, Names{"zed = pkg.core:run"});
}

TEST(Manifests, survives_broken_ones_and_knows_what_is_none) {
  EXPECT_TRUE(read_manifest("package.json", "{broken"));
  EXPECT_TRUE(read_manifest("Cargo.toml", "[[[[\n=\n"));
  EXPECT_FALSE(read_manifest("main.c", "int main(void);"));
  EXPECT_FALSE(is_manifest("src/package.json.bak"));
}

}  // namespace
}  // namespace wright::offline
