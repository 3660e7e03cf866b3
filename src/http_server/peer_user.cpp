#include "http_server/peer_user.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>

#include "http_server/peer_process.h"
#include "http_server/socket_question.h"

namespace wright::http {
namespace {

constexpr std::string_view kMapped = "::ffff:";
// A row may be left out of a table that changes while it is read.
constexpr int kReadings = 3;

struct Row {
  int state = 0;
  std::uint64_t user = 0;
  std::uint64_t inode = 0;
};

// Both ends talk, or the peer has said all that it wants to say and still reads. Where no program
// has the peer's end any more, its address may be somebody else's soon.
bool is_connection(int theirs, int ours, std::uint64_t their_inode) {
  if (their_inode == 0) return false;
  if (theirs == TCP_ESTABLISHED) return ours == TCP_ESTABLISHED;
  return (theirs == TCP_FIN_WAIT1 || theirs == TCP_FIN_WAIT2) && ours == TCP_CLOSE_WAIT;
}

// As the tables write it: words of four bytes in the machine's order.
std::string table_form(int family, const std::string& address, int port) {
  unsigned char bytes[16];
  if (::inet_pton(family, address.c_str(), bytes) != 1) return {};
  std::string written;
  for (std::size_t at = 0; at < (family == AF_INET ? 4 : 16); at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes + at, sizeof(word));
    written += fmt::format("{:08X}", word);
  }
  return fmt::format("{}:{:04X}", written, port);
}

// A socket of IPv6 that speaks to an address of IPv4 is written in the one or the other form.
std::vector<std::string> table_forms(std::string_view address, int port) {
  if (address.starts_with(kMapped)) address.remove_prefix(kMapped.size());
  const std::string plain(address);
  std::vector<std::string> forms{
      table_form(AF_INET, plain, port),
      table_form(AF_INET6, plain, port),
      table_form(AF_INET6, std::string(kMapped) + plain, port),
  };
  std::erase(forms, "");
  return forms;
}

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

std::uint64_t number_in(std::string_view word, int base = 10) {
  std::uint64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number, base);
  return number;
}

// The rows that go from the one end to the other, each socket once.
std::vector<Row> rows_between(const std::vector<std::string>& tables,
                              const std::vector<std::string>& from,
                              const std::vector<std::string>& to) {
  const auto is_among = [](const std::vector<std::string>& forms, std::string_view word) {
    return std::ranges::find(forms, word) != forms.end();
  };
  std::vector<Row> rows;
  for (const std::string& table : tables) {
    std::string_view rest = table;
    while (!rest.empty()) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      next_word(line);  // its number
      if (!is_among(from, next_word(line)) || !is_among(to, next_word(line))) continue;
      Row row{.state = static_cast<int>(number_in(next_word(line), 16))};
      for (int i = 0; i < 3; ++i) next_word(line);  // queues, timer, retransmissions
      row.user = number_in(next_word(line));
      next_word(line);  // timeouts
      row.inode = number_in(next_word(line));
      const bool is_known = std::ranges::any_of(rows, [&](const Row& other) {
        return other.inode == row.inode && other.state == row.state && other.user == row.user;
      });
      if (!is_known) rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace

std::vector<std::string> read_connection_tables() {
  std::vector<std::string> tables;
  for (const char* name : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    std::ifstream file(name);
    tables.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return tables;
}

std::optional<PeerProgram> program_at_other_end(const ConnectionEnds& ends, ReadTables read) {
  const auto peer = table_forms(ends.peer, ends.peer_port);
  const auto local = table_forms(ends.local, ends.local_port);
  if (peer.empty() || local.empty()) return std::nullopt;
  for (int i = 0; i < kReadings; ++i) {
    const auto before = read();
    const auto theirs = rows_between(before, peer, local);
    if (theirs.empty()) continue;
    if (theirs.size() > 1) return std::nullopt;
    // Our own end must be looked at after theirs.
    const auto after = read();
    const auto ours = rows_between(after, local, peer);
    if (ours.empty()) continue;
    if (ours.size() > 1 || ours.front().inode != ends.inode) return std::nullopt;
    if (!is_connection(theirs.front().state, ours.front().state, theirs.front().inode)) {
      return std::nullopt;
    }
    return PeerProgram{.user = static_cast<User>(theirs.front().user),
                       .inode = theirs.front().inode};
  }
  return std::nullopt;
}

FoundProgram ask_for_program(const ConnectionEnds& ends) {
  const SocketQuestions kernel;
  const SocketEnd peer{ends.peer, ends.peer_port};
  const SocketEnd local{ends.local, ends.local_port};
  const auto theirs = kernel.find(peer, local);
  if (!theirs) return std::nullopt;
  // Our own end must be looked at after theirs.
  const auto ours = kernel.find(local, peer);
  if (!ours) return std::nullopt;
  const bool is_known = is_connection(theirs->state, ours->state, theirs->inode) &&
                        ours->inode == ends.inode;
  if (!is_known) return std::optional<PeerProgram>();
  return PeerProgram{.user = theirs->user, .inode = theirs->inode};
}

std::optional<PeerProgram> PeerUser::program() {
  if (known_ || !ends_) return known_;
  const auto found = ask_for_program(*ends_);
  known_ = found ? *found : program_at_other_end(*ends_, read_connection_tables);
  return known_;
}

std::optional<User> PeerUser::get() {
  const std::lock_guard lock(mutex_);
  const auto known = program();
  if (!known) return std::nullopt;
  return known->user;
}

bool PeerUser::is_free() {
  const std::lock_guard lock(mutex_);
  if (is_free_) return *is_free_;
  const auto known = program();
  if (!known) return false;
  const std::vector<int> holders =
      known->process > 0 ? std::vector{known->process} : processes_with_socket(known->inode);
  is_free_ = !holders.empty() && std::ranges::all_of(holders, is_as_free_as_this_one);
  return *is_free_;
}

}  // namespace wright::http
