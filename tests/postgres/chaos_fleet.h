// The processes of the chaos: workers that claim and take over, and front doors that answer, cancel
// and follow events. Each reaches the database by the address it is given. All die with the test.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "faults/office.h"

namespace wright::faults {

inline constexpr std::chrono::milliseconds kChaosLease{2'000};
inline constexpr char kWorkerName[] = "chaos_worker";  // of workers' connections, to the server

struct Surroundings {
  std::string place = {};  // of the database, as libpq takes it
  std::string schema = {};
  Ledger ledger;
  std::filesystem::path folder = {};  // for what front doors saw
};

// Never returns; the process is killed. Notes nothing but what its tools do.
[[noreturn]] void work_until_killed(const Surroundings& around);

// Answers every wait, cancels whoever is doomed, and reads all events: "answered ID" in the ledger,
// and the numbers of events in file_of_door(number), as they came. Ends after SIGTERM, when there
// are no more.
int keep_door(const Surroundings& around, int number);
std::filesystem::path file_of_door(const Surroundings& around, int number);

class Fleet {
 public:
  explicit Fleet(const Surroundings& around) : around_(around) {}
  ~Fleet() { end(); }
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  void start_worker();
  std::size_t size() const { return workers_.size(); }
  std::size_t stopped() const;
  int started() const { return started_; }

  // Kills one and starts another.
  void replace(std::size_t which);
  // Stops one until then; one that is stopped already is left as it is.
  void stop(std::size_t which, std::chrono::milliseconds time);
  void continue_those_that_are_due();
  void continue_all();
  void end();  // kills them all

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Worker {
    pid_t process = -1;
    std::optional<Time> stopped_until = {};
  };

  const Surroundings& around_;
  std::vector<Worker> workers_;
  int started_ = 0;
};

}  // namespace wright::faults
