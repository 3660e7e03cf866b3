#include "server/embedded.h"

// The assembler reads the files. WRIGHT_EMBEDDED_FOLDER is this folder, WRIGHT_WEB_FOLDER that of
// the dashboard.
__asm__(
    ".macro wright_embed name path\n"
    ".global wright_\\name\\()_begin\n"
    ".global wright_\\name\\()_end\n"
    "wright_\\name\\()_begin:\n"
    ".incbin \"\\path\"\n"
    "wright_\\name\\()_end:\n"
    ".byte 0\n"
    ".endm\n"
    ".section .rodata\n"
    "wright_embed openapi \"" WRIGHT_EMBEDDED_FOLDER
    "/openapi.json\"\n"
    "wright_embed index \"" WRIGHT_WEB_FOLDER
    "/index.html\"\n"
    "wright_embed style \"" WRIGHT_WEB_FOLDER
    "/style.css\"\n"
    "wright_embed app \"" WRIGHT_WEB_FOLDER
    "/app.js\"\n"
    "wright_embed platform \"" WRIGHT_WEB_FOLDER
    "/platform.js\"\n"
    "wright_embed lists \"" WRIGHT_WEB_FOLDER
    "/lists.js\"\n"
    "wright_embed session \"" WRIGHT_WEB_FOLDER
    "/session.js\"\n"
    "wright_embed waits \"" WRIGHT_WEB_FOLDER
    "/waits.js\"\n"
    "wright_embed timeline \"" WRIGHT_WEB_FOLDER
    "/timeline.js\"\n"
    "wright_embed figures \"" WRIGHT_WEB_FOLDER
    "/figures.js\"\n"
    "wright_embed replay \"" WRIGHT_WEB_FOLDER
    "/replay.js\"\n"
    "wright_embed plots \"" WRIGHT_WEB_FOLDER
    "/plots.js\"\n"
    "wright_embed exchange \"" WRIGHT_WEB_FOLDER
    "/exchange.js\"\n"
    ".previous\n");

extern "C" {
extern const char wright_openapi_begin[];
extern const char wright_openapi_end[];
extern const char wright_index_begin[];
extern const char wright_index_end[];
extern const char wright_style_begin[];
extern const char wright_style_end[];
extern const char wright_app_begin[];
extern const char wright_app_end[];
extern const char wright_platform_begin[];
extern const char wright_platform_end[];
extern const char wright_lists_begin[];
extern const char wright_lists_end[];
extern const char wright_session_begin[];
extern const char wright_session_end[];
extern const char wright_waits_begin[];
extern const char wright_waits_end[];
extern const char wright_timeline_begin[];
extern const char wright_timeline_end[];
extern const char wright_figures_begin[];
extern const char wright_figures_end[];
extern const char wright_replay_begin[];
extern const char wright_replay_end[];
extern const char wright_exchange_begin[];
extern const char wright_exchange_end[];
extern const char wright_plots_begin[];
extern const char wright_plots_end[];
}

namespace wright::server {

std::string_view openapi_document() {
  return {wright_openapi_begin, wright_openapi_end};
}

const std::vector<EmbeddedFile>& dashboard_files() {
  constexpr std::string_view kScript = "text/javascript; charset=utf-8";
  static const std::vector<EmbeddedFile> files{
      {"/", "text/html; charset=utf-8", {wright_index_begin, wright_index_end}},
      {"/style.css", "text/css; charset=utf-8", {wright_style_begin, wright_style_end}},
      {"/app.js", kScript, {wright_app_begin, wright_app_end}},
      {"/platform.js", kScript, {wright_platform_begin, wright_platform_end}},
      {"/lists.js", kScript, {wright_lists_begin, wright_lists_end}},
      {"/session.js", kScript, {wright_session_begin, wright_session_end}},
      {"/waits.js", kScript, {wright_waits_begin, wright_waits_end}},
      {"/timeline.js", kScript, {wright_timeline_begin, wright_timeline_end}},
      {"/figures.js", kScript, {wright_figures_begin, wright_figures_end}},
      {"/plots.js", kScript, {wright_plots_begin, wright_plots_end}},
      {"/exchange.js", kScript, {wright_exchange_begin, wright_exchange_end}},
      {"/replay.js", kScript, {wright_replay_begin, wright_replay_end}}};
  return files;
}

}  // namespace wright::server
