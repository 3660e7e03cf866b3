#include "mcp_client/named_pipe.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tools/temporary_folder_testing.h"

namespace wright::mcp_client {
namespace {

using std::filesystem::last_write_time;
using std::filesystem::path;

void make_old(const path& folder) {
  last_write_time(folder, std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
}

TEST(NamedPipe, RemovesWhatKilledProcessesLeftBehindAndNothingElse) {
  const TemporaryFolder root;
  const path stale = root.path() / "wright-mcp-stale0";
  const path other = root.path() / "something-else";
  const path young = root.path() / "wright-mcp-young0";
  for (const path& folder : {stale, other, young}) std::filesystem::create_directory(folder);
  ASSERT_EQ(::mkfifo((stale / "input").c_str(), 0600), 0);
  const auto living = NamedPipe::make(root.path());
  ASSERT_TRUE(living) << living.error().message;
  for (const path& folder : {stale, other, path(living->folder())}) make_old(folder);

  std::string folder;
  {
    const auto made = NamedPipe::make(root.path());
    ASSERT_TRUE(made) << made.error().message;
    folder = made->folder();
    EXPECT_TRUE(std::filesystem::exists(folder));
  }
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_FALSE(std::filesystem::exists(stale));
  EXPECT_TRUE(std::filesystem::exists(other));
  EXPECT_TRUE(std::filesystem::exists(young));
  EXPECT_TRUE(std::filesystem::exists(living->path()));
}

}  // namespace
}  // namespace wright::mcp_client
