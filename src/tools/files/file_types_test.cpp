#include "tools/files/file_types.h"

#include <gtest/gtest.h>

namespace wright::tools {
namespace {

TEST(FileType, knows_languages_by_extension_and_by_name) {
  EXPECT_TRUE(FileType("cpp").matches("src/a.cpp"));
  EXPECT_TRUE(FileType("cpp").matches("a.H"));
  EXPECT_FALSE(FileType("c").matches("a.cpp"));
  EXPECT_TRUE(FileType("rust").matches("a.rs"));
  EXPECT_TRUE(FileType("rs").matches("a.rs"));
  EXPECT_TRUE(FileType("cmake").matches("x/CMakeLists.txt"));
  EXPECT_FALSE(FileType("cmake").matches("CMakeLists.txt/other"));
  EXPECT_TRUE(FileType("make").matches("Makefile"));
  EXPECT_TRUE(FileType("md").matches("README.MD"));
  EXPECT_TRUE(FileType("PY").is_known());
  EXPECT_TRUE(FileType("cpp").matches("a.C"));
  EXPECT_FALSE(FileType("c").matches("a.C"));
  EXPECT_TRUE(FileType("sh").matches("home/.bashrc"));
  EXPECT_TRUE(FileType("docker").matches("Dockerfile.debian"));
}

TEST(FileType, takes_an_unknown_name_for_an_extension) {
  const FileType type(".quux");
  EXPECT_FALSE(type.is_known());
  EXPECT_TRUE(type.matches("a.quux"));
  EXPECT_TRUE(type.matches("a.QUUX"));
  EXPECT_FALSE(type.matches("quux"));
  EXPECT_FALSE(type.matches("a.quux.bak"));
}

TEST(FileType, tells_all_names_it_knows) {
  const std::string all = known_file_types();
  EXPECT_TRUE(all.starts_with("ada, asm, "));
  EXPECT_NE(all.find(", rust, rs, "), std::string::npos);
}

}  // namespace
}  // namespace wright::tools
