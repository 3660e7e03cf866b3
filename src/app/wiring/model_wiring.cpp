#include "app/wiring/model_wiring.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>

#include "app/settings/file_output.h"
#include "app/settings/paths.h"
#include "app/terminal/console.h"
#include "app/wiring/shared_paces.h"
#include "core/text.h"
#include "core/try.h"
#include "wright/interceptors.h"
#include "wright/model.h"

namespace wright::app {
namespace {

constexpr std::size_t kShortestKey = 8;

const Setting* find_setting(const Settings& settings, std::string_view name) {
  const auto found = std::ranges::find_if(settings.all(), [&](const Setting& setting) {
    return setting.key->section == "api_keys" && setting.key->name == name;
  });
  return found == settings.all().end() ? nullptr : &*found;
}

// A row of TOML from `vendors.gateway.base_url=…`. Text that is not TOML by itself is a string.
std::string row_from(std::string_view key, std::string_view value) {
  const std::size_t dot = key.rfind('.');
  const bool is_literal = value == "true" || value == "false" || value.starts_with('[') ||
                          value.find_first_not_of("0123456789.-_") == std::string_view::npos;
  return fmt::format("[{}]\n{} = {}\n", key.substr(0, dot), key.substr(dot + 1),
                     is_literal ? std::string(value) : to_text(Json(value)));
}

VendorSetting base_url_for(const VendorInfo& vendor, const Settings& settings,
                           const Environment& environment) {
  VendorSetting elsewhere = base_url_from(vendor, [&](const std::string& variable) {
    return environment.find_non_empty(variable).value_or("");
  });
  if (!elsewhere.value.empty()) return elsewhere;
  const Setting* choice = find_setting(settings, vendor.alternative_setting);
  const bool* is_on = choice != nullptr ? std::get_if<bool>(&choice->value) : nullptr;
  return is_on == nullptr || *is_on ? vendor.alternative_base_url : std::string();
}

// Appends to a file that others cannot read: traffic holds prompts and files.
class TraceFile {
 public:
  static Result<std::shared_ptr<TraceFile>> open(const std::filesystem::path& path,
                                                 Redactor redactor) {
    const int descriptor =
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor < 0) {
      return fail(ErrorCode::storage, fmt::format("--trace-http: cannot write to {}: {}",
                                                  path.string(), std::strerror(errno)));
    }
    if (auto hidden = hide(descriptor, path); !hidden) {
      ::close(descriptor);
      return std::unexpected(std::move(hidden).error());
    }
    return std::make_shared<TraceFile>(descriptor, std::move(redactor));
  }

  TraceFile(int descriptor, Redactor redactor)
      : descriptor_(descriptor), redactor_(std::move(redactor)) {}
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  ~TraceFile() { ::close(descriptor_); }

  void write(std::string_view text) {
    const std::string harmless = redactor_.redacted(text);
    const std::lock_guard lock(mutex_);
    (void)write_all(descriptor_, harmless);
  }

 private:
  // A file that was there before may be open to others; a terminal or a pipe is what it is.
  static Result<void> hide(int descriptor, const std::filesystem::path& path) {
    struct stat file {};
    const bool is_file = ::fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode);
    const bool is_open = is_file && (file.st_mode & (S_IRWXG | S_IRWXO)) != 0;
    if (!is_open || ::fchmod(descriptor, S_IRUSR | S_IWUSR) == 0) return {};
    return fail(ErrorCode::storage,
                fmt::format("--trace-http: others can read {}, and that cannot be changed: {}. "
                            "Name another file",
                            path.string(), std::strerror(errno)));
  }

  int descriptor_;
  Redactor redactor_;
  std::mutex mutex_;
};

}  // namespace

Result<Catalogue> make_catalogue(const Settings& settings) {
  Catalogue catalogue = Catalogue::built_in();
  if (const auto& file = settings.file(); file && !file->catalogue_rows.empty()) {
    TRY(catalogue.add(file->catalogue_rows, file->path.string(), Catalogue::OtherSections::ignore));
  }
  for (const auto& [key, value] : settings.catalogue_flags()) {
    TRY(catalogue.add(row_from(key, value), fmt::format("--set {}", key)));
  }
  return catalogue;
}

VendorSetting key_for(const VendorInfo& vendor, const Settings& settings,
                      const Environment& environment) {
  if (const Setting* setting = find_setting(settings, vendor.key_setting)) {
    if (const auto* key = std::get_if<std::string>(&setting->value)) {
      return {*key, setting->origin.place};
    }
  }
  return key_from(vendor, [&](const std::string& variable) {
    return environment.find_non_empty(variable).value_or("");
  });
}

namespace {

// What stands for a key where a server of one's own wants one and looks at none: "lm-studio".
bool is_placeholder(const VendorInfo& vendor, std::string_view key) {
  constexpr std::size_t kShortestSecret = 16;
  return !vendor.needs_key && key.size() < kShortestSecret;
}

}  // namespace

std::vector<std::string> known_keys(const Settings& settings, const Environment& environment) {
  std::vector<std::string> keys{settings.store().token};
  for (const McpServer& server : settings.mcp_servers()) {
    std::ranges::copy(server.unmistakable_secrets(), std::back_inserter(keys));
  }
  // Who uses a catalogue that cannot be read says so.
  if (const auto catalogue = make_catalogue(settings)) {
    for (const VendorInfo& vendor : catalogue->vendors()) {
      const std::string key(trimmed(key_for(vendor, settings, environment).value));
      if (!is_placeholder(vendor, key)) keys.push_back(key);
    }
  }
  std::erase_if(keys, [](const std::string& key) { return key.size() < kShortestKey; });
  for (const std::string& key : keys) settings.redactor().learn(key);
  return keys;
}

Result<Models> make_models(const Settings& settings, const SettingFlags& flags,
                           const Environment& environment, SharedPaces* paces) {
  auto catalogue = TRY(make_catalogue(settings));
  known_keys(settings, environment);  // from now on, they are hidden
  std::shared_ptr<PaceKeeper> keeper;
  if (paces != nullptr) keeper = TRY(paces->at(settings, catalogue));
  ModelsOptions options{.catalogue = std::move(catalogue),
                        .fallback = settings.fallback(),
                        .retry = settings.http_retries(),
                        .timeouts = settings.http_timeouts(),
                        .redactor = settings.redactor()};
  options.find_model = [](std::string_view id) {
    return id == "offline" || id == "offline:planner" ? offline_model() : Model();
  };
  options.find_key = [settings, environment](const VendorInfo& vendor) {
    return key_for(vendor, settings, environment);
  };
  options.find_base_url = [settings, environment](const VendorInfo& vendor) {
    return base_url_for(vendor, settings, environment);
  };
  options.find_variable = [environment](const std::string& name) {
    return environment.find_non_empty(name).value_or("");
  };
  if (const auto* ca_file = std::get_if<std::string>(&settings.get(keys::kCaFile).value)) {
    options.ca_file = *ca_file;
  }
  options.pace = std::move(keeper);
  if (flags.trace_http) {
    auto file =
        TRY(TraceFile::open(expand_home(*flags.trace_http, environment), settings.redactor()));
    options.trace = [file = std::move(file)](std::string_view text) { file->write(text); };
  }
  return Models(std::move(options));
}

}  // namespace wright::app
