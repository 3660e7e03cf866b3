// Reads the manifests that are TOML: Cargo.toml and pyproject.toml.
#pragma once

#include <string_view>

#include "offline/manifests.h"

namespace wright::offline {

void read_cargo(Manifest& manifest, std::string_view content);
void read_pyproject(Manifest& manifest, std::string_view content);

}  // namespace wright::offline
