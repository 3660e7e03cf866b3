#include "sqlite/gathered_log.h"

#include <sqlite3.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>

namespace wright::sqlite {
namespace {

constexpr const char* kName = "wright-gathering-log";

// The format of the log (sqlite.org/fileformat2.html#walformat): a header, and frames of a header and
// a page each. The header of a frame that ends a transaction says how large the database is then.
constexpr int kLogHeader = 32;
constexpr int kPageSizeAt = 8;
constexpr int kFrameHeader = 24;
constexpr int kDatabaseSizeAt = 4;

std::uint32_t number_at(const char* bytes, int at) {
  std::uint32_t number = 0;
  for (int i = at; i < at + 4; ++i) number = number << 8U | static_cast<unsigned char>(bytes[i]);
  return number;
}

// Writes are held only by who has the right to write, which is a lock that all share: what is given up
// with it is forgotten, since others may write there next. What cannot be written fails everything that
// follows until then: SQLite believes that it is in the log.
class HeldWrites {
 public:
  // `known` is where the database finds it while it lives.
  HeldWrites(sqlite3_file* file, HeldWrites*& known) : file_(file), known_(known) { known_ = this; }
  HeldWrites(const HeldWrites&) = delete;
  HeldWrites& operator=(const HeldWrites&) = delete;
  ~HeldWrites() { known_ = nullptr; }

  void may_write(bool may) {
    may_hold_ = may;
    size_ = 0;
    failure_ = SQLITE_OK;
  }

  int write(std::span<const char> bytes, sqlite3_int64 offset) {
    if (failure_ != SQLITE_OK) return failure_;
    const bool begins_frame = is_header_of_frame(bytes, offset);
    if (begins_frame) ends_transaction_ = number_at(bytes.data(), kDatabaseSizeAt) != 0;
    const bool follows = size_ > 0 && offset == offset_ + static_cast<sqlite3_int64>(size_);
    if (!follows || size_ + bytes.size() > held_.size()) {
      if (const int code = flush(); code != SQLITE_OK) return code;
    }
    // A frame within a transaction is followed by others. One that ends it may be written by itself,
    // or only its header again, with other sums.
    const bool may_begin = may_hold_ && begins_frame && !ends_transaction_;
    if (size_ == 0 && !may_begin) return write_now(bytes, offset);
    if (size_ == 0) offset_ = offset;
    std::memcpy(held_.data() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
    return ends_transaction_ && !begins_frame ? flush() : SQLITE_OK;
  }

  int flush() {
    if (size_ == 0) return failure_;
    const std::span<const char> bytes(held_.data(), size_);
    size_ = 0;
    failure_ = write_now(bytes, offset_);
    return failure_;
  }

 private:
  int write_now(std::span<const char> bytes, sqlite3_int64 offset) {
    return file_->pMethods->xWrite(file_, bytes.data(), static_cast<int>(bytes.size()), offset);
  }

  bool is_header_of_frame(std::span<const char> bytes, sqlite3_int64 offset) {
    if (bytes.size() != kFrameHeader) return false;
    if (frame_size_ == 0) {
      std::array<char, kLogHeader> header{};
      if (file_->pMethods->xRead(file_, header.data(), kLogHeader, 0) != SQLITE_OK) return false;
      frame_size_ = kFrameHeader + number_at(header.data(), kPageSizeAt);
    }
    return offset >= kLogHeader && (offset - kLogHeader) % frame_size_ == 0;
  }

  sqlite3_file* const file_;
  HeldWrites*& known_;
  sqlite3_int64 frame_size_ = 0;  // 0: not yet known
  bool may_hold_ = false;
  int failure_ = SQLITE_OK;
  bool ends_transaction_ = false;  // the frame that is being written
  sqlite3_int64 offset_ = 0;       // of what is held
  std::size_t size_ = 0;
  std::array<char, 128 * 1024> held_;  // NOLINT: only what was written is read
};

// A database or its log. SQLite gives it the memory that the file system asks for: behind it is the
// default one's file.
struct File {
  sqlite3_file base;
  HeldWrites* held;  // of the log; null: a database without one
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File& file_of(sqlite3_file* file) {
  return *reinterpret_cast<File*>(file);
}

// A method that does what the default one does.
template <auto Method>
struct Same;
template <class R, class... Arguments, R (*sqlite3_io_methods::*Method)(sqlite3_file*, Arguments...)>
struct Same<Method> {
  static R call(sqlite3_file* file, Arguments... arguments) {
    sqlite3_file* const real = file_of(file).real();
    return (real->pMethods->*Method)(real, arguments...);
  }
};
// The same, when everything is in the file.
template <auto Method>
struct Flushed;
template <class... Arguments, int (*sqlite3_io_methods::*Method)(sqlite3_file*, Arguments...)>
struct Flushed<Method> {
  static int call(sqlite3_file* file, Arguments... arguments) {
    const int code = file_of(file).held->flush();
    return code != SQLITE_OK ? code : Same<Method>::call(file, arguments...);
  }
};

int write_log(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  return file_of(file).held->write(
      {static_cast<const char*>(bytes), static_cast<std::size_t>(count)}, offset);
}

int lock_shared(sqlite3_file* file, int first, int count, int flags) {
  constexpr int kRightToWrite = 0;  // the number of its lock
  HeldWrites* const held = file_of(file).held;
  const bool is_about_writing = held != nullptr && first == kRightToWrite;
  if (is_about_writing && (flags & SQLITE_SHM_UNLOCK) != 0) held->may_write(false);
  const int code = Same<&sqlite3_io_methods::xShmLock>::call(file, first, count, flags);
  if (is_about_writing && (flags & SQLITE_SHM_LOCK) != 0 && code == SQLITE_OK) held->may_write(true);
  return code;
}

// What is held when a log is closed belongs to a transaction that was not finished.
int close_log(sqlite3_file* file) {
  const int code = Same<&sqlite3_io_methods::xClose>::call(file);
  delete file_of(file).held;
  return code;
}

constexpr int kVersion = 3;  // of the methods
using Methods = sqlite3_io_methods;
constexpr Methods kDatabase{.iVersion = kVersion,
                            .xClose = Same<&Methods::xClose>::call,
                            .xRead = Same<&Methods::xRead>::call,
                            .xWrite = Same<&Methods::xWrite>::call,
                            .xTruncate = Same<&Methods::xTruncate>::call,
                            .xSync = Same<&Methods::xSync>::call,
                            .xFileSize = Same<&Methods::xFileSize>::call,
                            .xLock = Same<&Methods::xLock>::call,
                            .xUnlock = Same<&Methods::xUnlock>::call,
                            .xCheckReservedLock = Same<&Methods::xCheckReservedLock>::call,
                            .xFileControl = Same<&Methods::xFileControl>::call,
                            .xSectorSize = Same<&Methods::xSectorSize>::call,
                            .xDeviceCharacteristics = Same<&Methods::xDeviceCharacteristics>::call,
                            .xShmMap = Same<&Methods::xShmMap>::call,
                            .xShmLock = lock_shared,
                            .xShmBarrier = Same<&Methods::xShmBarrier>::call,
                            .xShmUnmap = Same<&Methods::xShmUnmap>::call,
                            .xFetch = Same<&Methods::xFetch>::call,
                            .xUnfetch = Same<&Methods::xUnfetch>::call};
constexpr Methods kLog = [] {
  Methods log = kDatabase;
  log.iVersion = 1;  // it is neither shared nor mapped
  log.xClose = close_log;
  log.xRead = Flushed<&Methods::xRead>::call;
  log.xWrite = write_log;
  log.xTruncate = Flushed<&Methods::xTruncate>::call;
  log.xSync = Flushed<&Methods::xSync>::call;
  log.xFileSize = Flushed<&Methods::xFileSize>::call;
  return log;
}();

int open_database(sqlite3_vfs* real, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
  File& database = file_of(file);
  database.held = nullptr;
  const int code = real->xOpen(real, name, database.real(), flags, out);
  const sqlite3_io_methods* const methods = database.real()->pMethods;
  const bool is_known = methods != nullptr && methods->iVersion == kVersion;
  if (code == SQLITE_OK && is_known) {
    database.base.pMethods = &kDatabase;
    return SQLITE_OK;
  }
  if (methods != nullptr) methods->xClose(database.real());
  // A file system that somebody else has put there.
  return code != SQLITE_OK ? code : real->xOpen(real, name, file, flags, out);
}

int open_log(sqlite3_vfs* real, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
  sqlite3_file* const database = sqlite3_database_file_object(name);
  if (database == nullptr || database->pMethods != &kDatabase) {
    return real->xOpen(real, name, file, flags, out);
  }
  File& log = file_of(file);
  const int code = real->xOpen(real, name, log.real(), flags, out);
  const sqlite3_io_methods* const methods = log.real()->pMethods;
  if (code == SQLITE_OK) {
    log.held = new (std::nothrow) HeldWrites(log.real(), file_of(database).held);
    if (log.held != nullptr) {
      log.base.pMethods = &kLog;
      return SQLITE_OK;
    }
  }
  if (methods != nullptr) methods->xClose(log.real());
  return code != SQLITE_OK ? code : SQLITE_NOMEM;
}

int open_file(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
  sqlite3_vfs* const real = sqlite3_vfs_find(nullptr);
  file->pMethods = nullptr;  // nothing to close
  if (real->szOsFile + static_cast<int>(sizeof(File)) > vfs->szOsFile) return SQLITE_CANTOPEN;
  if ((flags & SQLITE_OPEN_MAIN_DB) != 0) return open_database(real, name, file, flags, out);
  if ((flags & SQLITE_OPEN_WAL) != 0) return open_log(real, name, file, flags, out);
  return real->xOpen(real, name, file, flags, out);
}

}  // namespace

const char* gathering_log() {
  static const char* const name = [] {
    static sqlite3_vfs vfs = *sqlite3_vfs_find(nullptr);
    vfs.zName = kName;
    vfs.pNext = nullptr;
    vfs.szOsFile += static_cast<int>(sizeof(File));
    vfs.xOpen = open_file;
    return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK ? kName : nullptr;
  }();
  return name;
}

}  // namespace wright::sqlite
