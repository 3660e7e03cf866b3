// What reading many rows for figures needs: texts that are not copied.
#pragma once

#include <string_view>

#include "store/sqlite_names.h"

namespace wright::store {

// As Row::text(), valid until the next row.
std::string_view text_view(const Row& row, int column);

}  // namespace wright::store
