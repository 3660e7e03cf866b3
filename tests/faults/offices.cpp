#include "faults/offices.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "postgres/cluster_testing.h"

namespace wright::faults {
namespace {

using postgres::TestCluster;

Ledger new_ledger(const std::filesystem::path& folder, const std::string& name) {
  std::filesystem::remove(folder / (name + ".ledger"));
  return Ledger(folder / (name + ".ledger"));
}

Ledger copied_ledger(const Ledger& original, const std::filesystem::path& folder,
                     const std::string& name) {
  Ledger copy = new_ledger(folder, name);
  if (std::filesystem::exists(original.path())) {
    std::filesystem::copy_file(original.path(), copy.path());
  }
  return copy;
}

class SqliteOffices final : public Offices {
 public:
  explicit SqliteOffices(std::filesystem::path folder) : folder_(std::move(folder)) {
    EXPECT_TRUE(open_place(folder_ / "empty.db"));
  }

  Office open(const std::string& name) override {
    return {copied(folder_ / "empty.db", name), new_ledger(folder_, name)};
  }
  Office copy(const Office& original, const std::string& name) override {
    return {copied(original.place, name), copied_ledger(original.ledger, folder_, name)};
  }
  void settle(const Office&) override {}  // the process itself wrote

 private:
  std::string copied(const std::string& from, const std::string& name) {
    const std::string to = folder_ / (name + ".db");
    for (const char* const suffix : {"", "-wal", "-shm"}) std::filesystem::remove(to + suffix);
    // A killed process leaves the log of the database beside it.
    for (const char* const suffix : {"", "-wal"}) {
      if (std::filesystem::exists(from + suffix)) {
        std::filesystem::copy_file(from + suffix, to + suffix);
      }
    }
    return to;
  }

  const std::filesystem::path folder_;
};

class PostgresOffices final : public Offices {
 public:
  explicit PostgresOffices(std::filesystem::path folder) : folder_(std::move(folder)) {
    if (has("empty")) return;  // as another test left it
    TestCluster::instance().run_alone("CREATE DATABASE empty");
    EXPECT_TRUE(open_place(place_of("empty")));
  }

  Office open(const std::string& name) override {
    return {copied("empty", name), new_ledger(folder_, name)};
  }
  Office copy(const Office& original, const std::string& name) override {
    return {copied(name_of(original), name), copied_ledger(original.ledger, folder_, name)};
  }
  // The server ends what it was told before it notices that nobody is there any more.
  void settle(const Office& office) override {
    const std::string count =
        fmt::format("SELECT count(*) FROM pg_stat_activity WHERE datname = '{}'", name_of(office));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (TestCluster::instance().run(count) != "0\n") {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the server still works for it";
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 private:
  static bool has(const std::string& name) {
    return TestCluster::instance().run(
               fmt::format("SELECT count(*) FROM pg_database WHERE datname = '{}'", name)) == "1\n";
  }
  static std::string place_of(const std::string& name) {
    std::string url = TestCluster::instance().url();
    const std::string_view usual = "@/postgres?";
    return url.replace(url.find(usual), usual.size(), fmt::format("@/{}?", name));
  }
  static std::string name_of(const Office& office) {
    const std::size_t begin = office.place.find("@/") + 2;
    return office.place.substr(begin, office.place.find('?') - begin);
  }
  static std::string copied(const std::string& from, const std::string& name) {
    if (has(name)) TestCluster::instance().run_alone(fmt::format("DROP DATABASE {}", name));
    TestCluster::instance().run_alone(fmt::format("CREATE DATABASE {} TEMPLATE {}", name, from));
    return place_of(name);
  }

  const std::filesystem::path folder_;
};

}  // namespace

std::unique_ptr<Offices> make_offices(Keeping keeping, const std::filesystem::path& folder) {
  if (keeping == Keeping::sqlite) return std::make_unique<SqliteOffices>(folder);
  return std::make_unique<PostgresOffices>(folder);
}

}  // namespace wright::faults
