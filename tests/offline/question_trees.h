// The trees and databases that the questions are about, and a loop that asks the planner.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tools/temporary_folder_testing.h"

namespace wright::offline {

// What a question is asked about.
enum class About { languages, python, headers, shop, library };

struct Scored {
  About about;
  const char* question;
  std::vector<const char*> contains = {};  // nothing: it must say that it cannot tell
  std::vector<const char*> contains_not = {};
};

enum class Score { right, honest, wrong };

// Written by hand while the planner was, and after it was done.
const std::vector<Scored>& first_questions();
const std::vector<Scored>& later_questions();

class QuestionTrees {
 public:
  QuestionTrees();
  std::string ask(const Scored& scored) const;

 private:
  std::string ask_code(const std::filesystem::path& base, const std::string& question) const;
  std::string ask_database(const std::string& name, const std::string& question) const;

  TemporaryFolder files_;
  TemporaryFolder data_;
  TemporaryFolder index_;
  std::filesystem::path python_;
};

// Right with all that it must contain and nothing that it must not; honest when its first line says
// that it could not answer; wrong otherwise.
Score score_of(const Scored& scored, const std::string& answer);

}  // namespace wright::offline
