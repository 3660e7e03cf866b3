// The main of a fuzz target where there is no libFuzzer: runs it once on each file of the folders
// named on the command line, and on nothing else. A crash is the failure; the file's name is on the
// last line before it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// An exact allocation, so that AddressSanitizer sees the first byte read past the input.
std::vector<std::uint8_t> bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  stream.exceptions(std::ios::badbit);
  std::vector<std::uint8_t> bytes(std::istreambuf_iterator<char>(stream), {});
  bytes.shrink_to_fit();
  return bytes;
}

int replay(const std::vector<std::filesystem::path>& folders) {
  std::size_t count = 0;
  for (const auto& folder : folders) {
    for (const auto& file : files_of(folder)) {
      std::printf("%s\n", file.c_str());
      std::fflush(stdout);
      const auto bytes = bytes_of(file);
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
      ++count;
    }
  }
  if (count == 0) std::fprintf(stderr, "There is nothing to replay: name a folder of inputs.\n");
  return count == 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return replay({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
