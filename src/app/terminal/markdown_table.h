// A table of Markdown, drawn for a terminal. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wright::app {

// How the text of a cell is shown: with colours.
using ShowCell = std::function<std::string(std::string_view cell)>;

// The rows of the table, each with its line feed. Where they do not fit into `columns`, each row is
// a paragraph with a line for each cell. Absent when the lines are no table: the second must be the
// line of dashes.
std::optional<std::string> drawn_table(std::span<const std::string> lines, std::size_t columns,
                                       const ShowCell& show);

}  // namespace wright::app
