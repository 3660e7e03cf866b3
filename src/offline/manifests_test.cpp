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

std::string grouped(const Manifest& manifest) {
  std::string text;
  for (const DependencyGroup& group : manifest.groups) {
    text += group.title + ":";
    for (const std::string& dependency : group.dependencies) text += " " + dependency;
    text += "\n";
  }
  return text;
}

TEST(Manifests, take_comments_brackets_and_names_of_groups_for_no_dependencies) {
  const auto listed = read_manifest("pyproject.toml",
                                    "[project]\nname = \"demo\"\nlicense = {text = \"MIT\"}\n"
                                    "dependencies = [\n  \"httpx\", \"rich\",\n  # \"oldlib>=1\",\n"
                                    "  \"uvicorn[standard]>=0.2\",\n  \"click\",\n]\n");
  ASSERT_TRUE(listed);
  EXPECT_EQ(listed->dependencies, (Names{"httpx", "rich", "uvicorn[standard]>=0.2", "click"}));
  EXPECT_EQ(listed->licence, "MIT");
  const auto grouping = read_manifest(
      "pyproject.toml",
      "[project]\ndependencies = [\"uvicorn[standard]>=0.2\",\n  \"click\"]\n"
      "[project.optional-dependencies]\ndocs = [\"sphinx\"]\n"
      "[dependency-groups]\nlint = [\"ruff\", {include-group = \"types\"}]\ntypes = [\"mypy\"]\n"
      "[tool.uv]\ndev-dependencies = [\"pytest\"]\n"
      "[build-system]\nrequires = [\n  \"hatchling\",\n]\n");
  ASSERT_TRUE(grouping);
  EXPECT_EQ(grouping->dependencies, (Names{"uvicorn[standard]>=0.2", "click"}));
  EXPECT_EQ(grouped(*grouping),
            "with the extra `docs`: sphinx\nin the group `lint`: ruff all of group types\n"
            "in the group `types`: mypy\nin the group `dev`: pytest\nto build it: hatchling\n");
  EXPECT_EQ(grouping->not_read, Names{});
}

TEST(Manifests, know_the_tables_of_poetry) {
  const auto manifest =
      read_manifest("pyproject.toml",
                    "[tool.poetry]\nname = \"p\"\n[tool.poetry.dependencies]\npython = \"^3.10\"\n"
                    "requests = \"^2\"\nattrs = {version = \"*\", optional = true}\n"
                    "[tool.poetry.group.dev.dependencies]\nblack = \"*\"\n");
  ASSERT_TRUE(manifest);
  EXPECT_EQ(manifest->name, "p");
  EXPECT_EQ(manifest->dependencies, Names{"requests"});
  EXPECT_EQ(grouped(*manifest), "with one of its extras: attrs\nin the group `dev`: black\n");
}

TEST(Manifests, tell_what_they_do_not_understand) {
  const auto not_read = [](const char* path, const char* content) {
    const auto manifest = read_manifest(path, content);
    return manifest && manifest->not_read.size() == 1 ? manifest->not_read.front() : "?";
  };
  EXPECT_EQ(not_read("pyproject.toml", "[project]\ndynamic = [\"version\", \"dependencies\"]\n"),
            "its `dependencies` are only known to what builds it (`dynamic`)");
  EXPECT_EQ(not_read("pyproject.toml", "[tool.hatch.envs.dev]\ndependencies = [\"x\"]\n"),
            "`tool.hatch.envs.dev.dependencies` is not understood");
  EXPECT_EQ(not_read("pyproject.toml", "[project]\ndependencies = \"x\"\n"),
            "`dependencies` of [project] is not a plain list of texts");
  EXPECT_EQ(not_read("Cargo.toml", "[package]\nname = \n"), "it is not valid TOML (line 2)");
  EXPECT_EQ(not_read("package.json", "{broken"), "it is not valid JSON");
  EXPECT_EQ(not_read("setup.py", "setup(install_requires=read('r.txt'))\n"),
            "its `install_requires` is computed");
  EXPECT_EQ(not_read("requirements.txt", "-r other.txt\n"), "it takes in `other.txt`");
  std::string endless = "[a";
  for (int i = 0; i < 200'000; ++i) endless += ".a";
  EXPECT_EQ(not_read("Cargo.toml", (endless + "]\n").c_str()), "it is not valid TOML (line 1)");
}

TEST(Manifests, read_only_what_is_required) {
  const auto go = read_manifest(
      "go.mod",
      "module x\nrequire (\n\tgithub.com/a/b v1.0.0\n\t// github.com/gone/gone v1.0.0\n"
      "    github.com/c/d v2.0.0 // indirect\n)\nexclude (\n\tgithub.com/bad/bad v1.0.0\n)\n"
      "require github.com/e/f v3.0.0\nreplace github.com/a/b v1.0.0 => ../b\n");
  ASSERT_TRUE(go);
  EXPECT_EQ(go->dependencies,
            (Names{"github.com/a/b v1.0.0", "github.com/c/d v2.0.0", "github.com/e/f v3.0.0"}));
  const auto script = read_manifest("setup.py",
                                    "setup(\n  # install_requires=['old'],\n"
                                    "  install_requires=[\n    'uvicorn[standard]',  # 'no'\n"
                                    "    'click'],\n)\n");
  ASSERT_TRUE(script);
  EXPECT_EQ(script->dependencies, (Names{"uvicorn[standard]", "click"}));
  const auto cmake = read_manifest(
      "CMakeLists.txt", "project(x)\n# find_package(Old)\nfind_package(fmt) # find_package(No)\n");
  ASSERT_TRUE(cmake);
  EXPECT_EQ(cmake->dependencies, Names{"fmt"});
  const auto texts = read_manifest(
      "requirements-dev.txt",
      "# requests==2\nflask==2.0 \\\n  --hash=abc\ngit+https://x.org/a#egg=a  # from there\n");
  ASSERT_TRUE(texts);
  EXPECT_EQ(texts->dependencies, (Names{"flask==2.0", "git+https://x.org/a#egg=a"}));
}

TEST(Manifests, know_the_names_of_those_that_they_do_not_read) {
  EXPECT_EQ(foreign_manifest("j/pom.xml"), "Maven");
  EXPECT_EQ(foreign_manifest("a/B.csproj"), ".NET");
  EXPECT_EQ(foreign_manifest("build.gradle.kts"), "Gradle");
  EXPECT_EQ(foreign_manifest("Cargo.toml"), "");
  EXPECT_EQ(foreign_manifest("pom.xml.bak"), "");
}

TEST(Manifests, survives_broken_ones_and_knows_what_is_none) {
  EXPECT_TRUE(read_manifest("package.json", "{broken"));
  EXPECT_TRUE(read_manifest("Cargo.toml", "[[[[\n=\n"));
  EXPECT_FALSE(read_manifest("main.c", "int main(void);"));
  EXPECT_FALSE(is_manifest("src/package.json.bak"));
}

}  // namespace
}  // namespace wright::offline
