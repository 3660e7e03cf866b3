// For tests: a disk under SQLite that is full or broken when a test says so.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <limits>
#include <memory>
#include <mutex>
#include <vector>

namespace wright::sqlite {

// While it lives, SQLite opens files through a file system whose writes can be made to fail.
class FaultyDisk {
 public:
  FaultyDisk() {
    real_ = sqlite3_vfs_find(nullptr);
    faulty_ = *real_;
    faulty_.zName = "faulty";
    faulty_.xOpen = open;
    EXPECT_EQ(sqlite3_vfs_register(&faulty_, 1), SQLITE_OK);
    heal();
  }
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;
  ~FaultyDisk() {
    sqlite3_vfs_unregister(&faulty_);
    sqlite3_vfs_register(real_, 1);
  }

  // The next `count` writes succeed, `failures` later ones fail with `sqlite_code`.
  void fail_after(int count, int sqlite_code, int failures = std::numeric_limits<int>::max()) {
    const std::lock_guard lock(mutex_);
    writes_left_ = count;
    failures_left_ = failures;
    sqlite_code_ = sqlite_code;
    has_failed_ = false;
  }
  void heal() { fail_after(0, SQLITE_OK); }
  bool has_failed() const {
    const std::lock_guard lock(mutex_);
    return has_failed_;
  }

 private:
  // The methods of one kind of file; SQLite has several. `methods` comes first, so that a file's
  // pointer to it is one to the whole.
  struct Methods {
    sqlite3_io_methods methods;
    const sqlite3_io_methods* real;
  };
  static Methods& faulty_methods(const sqlite3_io_methods* real) {
    for (const auto& known : methods_) {
      if (known->real == real) return *known;
    }
    methods_.push_back(std::make_unique<Methods>(Methods{*real, real}));
    methods_.back()->methods.xWrite = write;
    methods_.back()->methods.xSync = sync;
    return *methods_.back();
  }
  static const sqlite3_io_methods* real_methods(sqlite3_file* file) {
    return reinterpret_cast<const Methods*>(file->pMethods)->real;
  }

  static int open(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
    const int sqlite_code = real_->xOpen(real_, name, file, flags, out);
    if (file->pMethods != nullptr) file->pMethods = &faulty_methods(file->pMethods).methods;
    return sqlite_code;
  }
  static int outcome() {
    const std::lock_guard lock(mutex_);
    if (sqlite_code_ == SQLITE_OK || failures_left_ == 0) return SQLITE_OK;
    if (writes_left_ > 0) {
      --writes_left_;
      return SQLITE_OK;
    }
    --failures_left_;
    has_failed_ = true;
    return sqlite_code_;
  }
  static int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
    const int sqlite_code = outcome();
    return sqlite_code != SQLITE_OK ? sqlite_code
                                    : real_methods(file)->xWrite(file, bytes, count, offset);
  }
  static int sync(sqlite3_file* file, int flags) {
    const int sqlite_code = outcome();
    return sqlite_code != SQLITE_OK ? SQLITE_IOERR_FSYNC : real_methods(file)->xSync(file, flags);
  }

  static inline sqlite3_vfs* real_ = nullptr;
  static inline sqlite3_vfs faulty_{};
  static inline std::vector<std::unique_ptr<Methods>> methods_;
  static inline std::mutex mutex_;
  static inline int writes_left_ = 0;
  static inline int failures_left_ = 0;
  static inline int sqlite_code_ = SQLITE_OK;
  static inline bool has_failed_ = false;
};

}  // namespace wright::sqlite
