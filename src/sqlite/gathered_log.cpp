#include "sqlite/gathered_log.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
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

class HeldWrites {
 public:
  explicit HeldWrites(sqlite3_file* file) : file_(file) {}

  int write(std::span<const char> bytes, sqlite3_int64 offset) {
    const bool begins_frame = is_header_of_frame(bytes, offset);
    if (begins_frame) ends_transaction_ = number_at(bytes.data(), kDatabaseSizeAt) != 0;
    const bool follows = size_ > 0 && offset == offset_ + static_cast<sqlite3_int64>(size_);
    if (!follows || size_ + bytes.size() > held_.size()) {
      if (const int code = flush(); code != SQLITE_OK) return code;
    }
    // A frame within a transaction is followed by others. One that ends it may be written by itself,
    // or only its header again, with other sums.
    if (size_ == 0 && !(begins_frame && !ends_transaction_)) return write_now(bytes, offset);
    if (size_ == 0) offset_ = offset;
    std::ranges::copy(bytes, held_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += bytes.size();
    return ends_transaction_ && !begins_frame ? flush() : SQLITE_OK;
  }

  int flush() {
    if (size_ == 0) return SQLITE_OK;
    const std::span<const char> bytes(held_.data(), size_);
    size_ = 0;  // what fails is not written by a later transaction
    return write_now(bytes, offset_);
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
  sqlite3_int64 frame_size_ = 0;  // 0: not yet known
  bool ends_transaction_ = false;  // the frame that is being written
  sqlite3_int64 offset_ = 0;       // of what is held
  std::size_t size_ = 0;
  std::array<char, 128 * 1024> held_;  // NOLINT: only what was written is read
};

// SQLite gives it the memory that the file system asks for: behind it is the default one's file.
struct LogFile {
  sqlite3_file base;
  HeldWrites* held;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

LogFile& log_of(sqlite3_file* file) {
  return *reinterpret_cast<LogFile*>(file);
}
sqlite3_file* real_of(sqlite3_file* file) {
  return log_of(file).real();
}
const sqlite3_io_methods& methods_of(sqlite3_file* file) {
  return *real_of(file)->pMethods;
}

// What is held when the file is closed belongs to a transaction that was not finished.
int close(sqlite3_file* file) {
  const int code = methods_of(file).xClose(real_of(file));
  delete log_of(file).held;
  return code;
}
int read(sqlite3_file* file, void* bytes, int count, sqlite3_int64 offset) {
  const int code = log_of(file).held->flush();
  return code != SQLITE_OK ? code : methods_of(file).xRead(real_of(file), bytes, count, offset);
}
int write(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
  return log_of(file).held->write(
      {static_cast<const char*>(bytes), static_cast<std::size_t>(count)}, offset);
}
int truncate(sqlite3_file* file, sqlite3_int64 size) {
  const int code = log_of(file).held->flush();
  return code != SQLITE_OK ? code : methods_of(file).xTruncate(real_of(file), size);
}
int sync(sqlite3_file* file, int flags) {
  const int code = log_of(file).held->flush();
  return code != SQLITE_OK ? code : methods_of(file).xSync(real_of(file), flags);
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  const int code = log_of(file).held->flush();
  return code != SQLITE_OK ? code : methods_of(file).xFileSize(real_of(file), size);
}
int lock(sqlite3_file* file, int level) {
  return methods_of(file).xLock(real_of(file), level);
}
int unlock(sqlite3_file* file, int level) {
  return methods_of(file).xUnlock(real_of(file), level);
}
int check_reserved_lock(sqlite3_file* file, int* is_locked) {
  return methods_of(file).xCheckReservedLock(real_of(file), is_locked);
}
int file_control(sqlite3_file* file, int operation, void* argument) {
  return methods_of(file).xFileControl(real_of(file), operation, argument);
}
int sector_size(sqlite3_file* file) {
  return methods_of(file).xSectorSize(real_of(file));
}
int device_characteristics(sqlite3_file* file) {
  return methods_of(file).xDeviceCharacteristics(real_of(file));
}

// Those of the first version: a log is neither shared nor mapped.
constexpr sqlite3_io_methods kLogMethods{.iVersion = 1,
                                         .xClose = close,
                                         .xRead = read,
                                         .xWrite = write,
                                         .xTruncate = truncate,
                                         .xSync = sync,
                                         .xFileSize = file_size,
                                         .xLock = lock,
                                         .xUnlock = unlock,
                                         .xCheckReservedLock = check_reserved_lock,
                                         .xFileControl = file_control,
                                         .xSectorSize = sector_size,
                                         .xDeviceCharacteristics = device_characteristics};

int open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* flags_out) {
  sqlite3_vfs* real = sqlite3_vfs_find(nullptr);
  file->pMethods = nullptr;
  if (real->szOsFile + static_cast<int>(sizeof(LogFile)) > vfs->szOsFile) return SQLITE_CANTOPEN;
  if ((flags & SQLITE_OPEN_WAL) == 0) return real->xOpen(real, name, file, flags, flags_out);
  LogFile& log = log_of(file);
  const int code = real->xOpen(real, name, log.real(), flags, flags_out);
  if (code != SQLITE_OK) {
    // SQLite closes what has methods, also when it did not open.
    if (log.real()->pMethods != nullptr) log.real()->pMethods->xClose(log.real());
    return code;
  }
  log.held = new (std::nothrow) HeldWrites(log.real());
  if (log.held == nullptr) {
    log.real()->pMethods->xClose(log.real());
    return SQLITE_NOMEM;
  }
  log.base.pMethods = &kLogMethods;
  return SQLITE_OK;
}

}  // namespace

const char* gathering_log() {
  static const char* const name = [] {
    static sqlite3_vfs vfs = *sqlite3_vfs_find(nullptr);
    vfs.zName = kName;
    vfs.pNext = nullptr;
    vfs.szOsFile += static_cast<int>(sizeof(LogFile));
    vfs.xOpen = open;
    return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK ? kName : nullptr;
  }();
  return name;
}

}  // namespace wright::sqlite
