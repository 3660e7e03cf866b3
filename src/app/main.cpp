// The `wright` program. Everything happens in run_program(), so that it can be tested.
#include <string>
#include <vector>

#include "app/program.h"
#include "sqlite/memory.h"

int main(int count, char** values) {
  wright::sqlite::count_memory_by_thread();
  const std::vector<std::string> arguments(values + (count > 0 ? 1 : 0), values + count);
  return static_cast<int>(wright::app::run_program(arguments, wright::app::process_environment()));
}
