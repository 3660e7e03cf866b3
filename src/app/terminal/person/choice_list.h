// Options to choose from with the keyboard: what is chosen, where the cursor is, and how that
// looks. Draws nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/terminal/person/keys.h"

namespace wright::app {

enum class Choose : std::uint8_t { one, any_number };

class ChoiceList {
 public:
  // `chosen` are positions in `options`. Options are shown as they are: they must be harmless text.
  ChoiceList(std::vector<std::string> options, Choose choose, std::vector<std::size_t> chosen);

  // Arrows move, digits go to a number, the space bar chooses where any number may be chosen.
  void apply(const Key& key);

  // In the order of the options. Of one: where the cursor is.
  std::vector<std::size_t> chosen() const;

  // At most `rows` lines of at most `columns`; where more would be needed, those around the cursor.
  std::vector<std::string> lines(std::size_t columns, std::size_t rows) const;

 private:
  void type_digit(char digit);

  std::vector<std::string> options_;
  Choose choose_;
  std::vector<bool> is_chosen_;
  std::size_t cursor_ = 0;
  std::size_t typed_ = 0;  // the number that is being typed, from 1; 0: none
};

}  // namespace wright::app
