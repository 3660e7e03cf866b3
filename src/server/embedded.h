// Files that are a part of the program.
#pragma once

#include <string_view>
#include <vector>

namespace wright::server {

std::string_view openapi_document();

struct EmbeddedFile {
  std::string_view path;  // as it is asked for
  std::string_view type;  // Content-Type
  std::string_view content;
};
// The dashboard.
const std::vector<EmbeddedFile>& dashboard_files();

}  // namespace wright::server
