// For tests: a PostgreSQL of their own, one for each test program; see tests/postgres/cluster.sh.
#pragma once

#include <string>
#include <string_view>

namespace wright::postgres {

class TestCluster {
 public:
  // Starts it the first time. A test fails with the reason when it cannot be started.
  static TestCluster& instance();
  ~TestCluster();
  TestCluster(const TestCluster&) = delete;
  TestCluster& operator=(const TestCluster&) = delete;

  const std::string& url() const { return url_; }
  // As cluster.sh knows them.
  void tell(std::string_view command);

  // A name that no other test has.
  static std::string new_schema();
  // Runs one statement on a connection of its own; the first column of its rows, each with '\n'.
  std::string run(std::string_view sql);
  // Ends connections of Wright's, at most that many and whichever they are.
  void cut_connections(int most);
  // As run(), outside of a transaction, as CREATE DATABASE wants it.
  void run_alone(const std::string& sql);

 private:
  TestCluster();
  std::string read_line();

  int to_ = -1;
  int from_ = -1;
  int process_ = -1;
  std::string url_;
};

}  // namespace wright::postgres
