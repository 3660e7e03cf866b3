#include "tools/web/html_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>

#include "wright/json.h"

namespace wright::tools {
namespace {

std::string absolute(std::string_view href, LinkRole) {
  return href.starts_with("http") ? std::string(href) : "https://h" + std::string(href);
}

HtmlPage page_of(std::string_view html, const HtmlOptions& options = {.resolve = absolute}) {
  auto page = read_html(html, options);
  if (!page) {
    ADD_FAILURE() << page.error().message;
    return {};
  }
  EXPECT_TRUE(is_valid_utf8(page->text));
  return std::move(*page);
}

const HtmlOptions kPatiently{.resolve = absolute, .limits = {.time = std::chrono::minutes(5)}};

std::string markdown(std::string_view html) {
  return page_of(html).text;
}

std::string plain(std::string_view html) {
  return page_of(html, {.style = HtmlStyle::text, .resolve = absolute}).text;
}

TEST(HtmlText, has_paragraphs_with_blanks_collapsed) {
  EXPECT_EQ(markdown("<p>One  two\n three</p><p>four<br>five</p> six"),
            "One two three\n\nfour\nfive\n\nsix");
  EXPECT_EQ(markdown("a <b>bold</b><i> word</i>, <span>and</span>more"), "a bold word, andmore");
  EXPECT_EQ(markdown("<div><div>\n<p>a</p>\n</div></div><div>b</div>"), "a\n\nb");
}

TEST(HtmlText, has_headings) {
  EXPECT_EQ(markdown("<h1>Top</h1>text<h3>Third<br>line</h3><p>more"),
            "# Top\n\ntext\n\n### Third line\n\nmore");
  EXPECT_EQ(markdown("<h2></h2><p>x</p>"), "x");
  EXPECT_EQ(plain("<h1>Top</h1>text"), "Top\n\ntext");
}

TEST(HtmlText, has_links_with_where_they_lead) {
  EXPECT_EQ(markdown("see <a href=\"/docs?a=1&amp;b=2\">the docs</a>."),
            "see [the docs](https://h/docs?a=1&b=2).");
  EXPECT_EQ(markdown("<a href=#top>up</a> <a>no</a> <a href='/x'></a>end"), "up no end");
  EXPECT_EQ(markdown("<a href=https://h/x>https://h/x</a>"), "https://h/x");
  EXPECT_EQ(markdown("<a href=/x><h3>Card</h3><p>text</p></a>"), "### Card\n\ntext (https://h/x)");
  EXPECT_EQ(markdown("<a href=/x>one<a href=/y>two</a>"), "[one](https://h/x)[two](https://h/y)");
  EXPECT_EQ(markdown("<a href='/x&#15;y'>one</a> <a href='/a b'>two</a>"), "one two");
  EXPECT_EQ(markdown("<a href='/x\x0f'>one</a>"), "[one](https://h/x)");
  EXPECT_EQ(plain("<a href=/x>one</a>"), "one");
}

TEST(HtmlText, follows_the_base_of_the_page) {
  std::string base;
  const HtmlPage page = page_of("<base href=\"http://other/\"><a href=x>y</a>",
                                {.resolve = [&](std::string_view href, LinkRole role) {
                                  if (role == LinkRole::base) base = href;
                                  return base + std::string(href);
                                }});
  EXPECT_EQ(page.text, "[y](http://other/x)");
}

TEST(HtmlText, has_lists) {
  EXPECT_EQ(markdown("<ul><li>a<li>b<ul><li>c</li></ul></li><li>d</ul>after"),
            "- a\n- b\n  - c\n- d\n\nafter");
  EXPECT_EQ(markdown("<ol start=3><li>a</li><li>b<ul><li>c</ul><li>d</ol>"),
            "3. a\n4. b\n   - c\n5. d");
  EXPECT_EQ(markdown("<ul><li><p>a</p></li><li></li><li><h3>b</h3></li></ul>"), "- a\n\n- ### b");
  EXPECT_EQ(markdown("<dl><dt>term<dd>meaning</dl>"), "term\n: meaning");
}

TEST(HtmlText, has_quotes) {
  EXPECT_EQ(markdown("x<blockquote><p>a<br>b</p><ul><li>c</ul></blockquote>y"),
            "x\n\n> a\n> b\n\n> - c\n\ny");
}

TEST(HtmlText, has_code) {
  EXPECT_EQ(markdown("run <code>make  test</code> now"), "run `make test` now");
  EXPECT_EQ(markdown("<code></code>x <a href=/y><code>f()</code></a>"), "x [`f()`](https://h/y)");
  EXPECT_EQ(markdown("<pre><code>\nint  x;\n\n  y();\n</code></pre>after"),
            "```\nint  x;\n\n  y();\n```\n\nafter");
  EXPECT_EQ(markdown("a<pre>\n  x &lt; y</pre>"), "a\n\n```\n  x < y\n```");
  EXPECT_EQ(markdown("<ul><li><pre>a\nb</pre></ul>"), "- ```\n  a\n  b\n  ```");
  EXPECT_EQ(markdown("<pre><div>a</div><div>b</div></pre>"), "```\na\nb\n```");
  EXPECT_EQ(plain("<pre>a\n b</pre>"), "a\n b");
}

TEST(HtmlText, has_tables) {
  EXPECT_EQ(markdown("<table><tr><th>Name<th>Size<tr><td>a|b</td><td>1<br>2</td></tr></table>x"),
            "| Name | Size |\n|---|---|\n| a\\|b | 1 2 |\n\nx");
  EXPECT_EQ(markdown("<table><caption>All</caption><thead><tr><th>A</th><th></th></tr></thead>"
                     "<tbody><tr></tr><tr><td>1</td><td><a href=/x>2</a></td></tr></table>"),
            "All\n\n| A |  |\n|---|---|\n| 1 | [2](https://h/x) |");
}

TEST(HtmlText, takes_tables_for_layout_apart) {
  EXPECT_EQ(markdown("<table><tr><td>menu</td><td><p>one</p><p>two</p></td></tr></table>"),
            "menu\n\none\n\ntwo");
  EXPECT_EQ(markdown("<table><tr><td><table><tr><td>a<td>b</table></td><td>c</td></table>"),
            "| a | b |\n|---|---|\n\nc");
  EXPECT_EQ(markdown("<table><tr><td>only</td></tr><tr><td>column</td></tr></table>"),
            "only\ncolumn");
}

TEST(HtmlText, leaves_out_what_is_not_for_reading) {
  EXPECT_EQ(markdown("a<script>if (1 < 2) { x = '</p>' }</script><style>p{}</style>b"
                     "<svg><text>no</text><svg></svg>no</svg><!-- no <p> -->c"
                     "<template><p>no</template><select><option>no</select>d"
                     "<textarea><p>no</textarea><iframe>no</iframe><video>no</video>e"),
            "abcde");
  EXPECT_EQ(markdown("<SCRIPT>no</sCriPt >yes<script>never closed <p>x"), "yes");
  EXPECT_EQ(markdown("a<div hidden>no<div>no</div>no</div>b"
                     "<span style='color:red; display : none'>no</span>c<br hidden>d"),
            "abcd");
}

TEST(HtmlText, leaves_out_hidden_elements_that_need_no_end_tag) {
  EXPECT_EQ(markdown("<p>a<p hidden>no<p>b"), "a\n\nb");
  EXPECT_EQ(
      markdown("<p hidden>no <b>no</b></p>a<p style='Display : NONE !important'>no<div>b</div>"),
      "a\n\nb");
  EXPECT_EQ(markdown("<ul><li>a<li hidden>no<ul><li>no</li></ul>no<li>b</ul>c"), "- a\n- b\n\nc");
  EXPECT_EQ(markdown("<div><p hidden>no</div>a"), "a");
  EXPECT_EQ(markdown("<table><tr><td>a<td hidden>no<td>b<tr hidden><td>no<tr><td>c<td>d</table>"),
            "| a | b |\n|---|---|\n| c | d |");
  EXPECT_EQ(markdown("<dl><dt>a<dd hidden>no<dt>b</dl>"), "a\nb");
  EXPECT_EQ(markdown("<div>a<ul><li hidden><div><div>no</div>no</div>no</li><li>b</ul></div>"),
            "a\n\n- b");
  // End tags of what is not open end nothing.
  EXPECT_EQ(markdown("a<p hidden></b></section></span></td>no</p>b"), "ab");
  EXPECT_EQ(markdown("<div>a<p hidden></section>no</p></div>b"), "a\n\nb");
  // Pages hide themselves until their scripts have run.
  EXPECT_EQ(markdown("<body style='display:none'><p>a</body>"), "a");
}

TEST(HtmlText, knows_the_styles_that_hide) {
  for (const char* style :
       {"display:none", "visibility: hidden", "opacity:0", "opacity: 0.0", "font-size:0",
        "FONT-SIZE: 0px", "position:absolute; left:-9999px", "position:fixed;top:-10000px",
        "text-indent:-9999px", "clip:rect(0,0,0,0)", "clip-path:inset(50%)", "color:transparent",
        "height:0;overflow:hidden", "overflow: hidden; max-width: 0px", "transform:scale(0)",
        "color:red;display:none!important;", "content-visibility:hidden",
        // Written so that one who looks for the words does not find them.
        "display:/**/none", "dis\\70lay:none", "d\\000069splay: n\\6f ne", "display:none;display:x",
        "display:none!important;display:block", "font:0/0 a", "font-size:1px", "scale:0",
        "color:rgba(0, 0, 0, 0)", "color:#fff0", "width:1px;overflow:hidden", "opacity:+0",
        "transform:translateX(-9999px)", "margin-left:-9999px", "clip-path:circle(0)"}) {
    EXPECT_EQ(markdown("a<span style=\"" + std::string(style) + "\">no</span>b"), "ab") << style;
  }
  for (const char* style : {"display:block",
                            "opacity:0.5",
                            "font-size:10px",
                            "left:-9999px",
                            "position:absolute;left:0",
                            "height:0",
                            "text-indent:-2em",
                            "",
                            ";;:",
                            "display",
                            "background:none",
                            "color:#000",
                            "font-size:1em",
                            "color:#ff00ff",
                            "font:14px a",
                            "margin-left:-5px",
                            "width:1px",
                            "/*display:none",
                            "transform:scale(0.5)",
                            "\\"}) {
    EXPECT_EQ(markdown("a<span style=\"" + std::string(style) + "\">b</span>c"), "abc") << style;
  }
}

TEST(HtmlText, shows_the_words_of_images) {
  EXPECT_EQ(markdown("a <img src=x alt='a  cat'> b<img alt=''><img>"), "a [image: a cat] b");
}

TEST(HtmlText, has_no_characters_that_nobody_sees) {
  EXPECT_EQ(markdown("a\xE2\x80\x8B\xC2\xAD"
                     "b&#x202E;c\x01&#xE0041;d&nbsp;e\xEF\xBB\xBF"),
            "abcd e");
}

TEST(HtmlText, knows_the_title) {
  EXPECT_EQ(page_of("<title> A &amp;\n B </title><p>x<title>no</title>").title, "A & B");
  EXPECT_EQ(page_of("<p>x").title, "");
  EXPECT_TRUE(is_valid_utf8(page_of("<title>" + std::string(499, 'a') + "é</title>").title));
}

TEST(HtmlText, survives_broken_pages) {
  EXPECT_EQ(markdown(""), "");
  EXPECT_EQ(markdown("<"), "<");
  EXPECT_EQ(markdown("a < b && c > d &unknown; &amp"), "a < b && c > d &unknown; &");
  EXPECT_EQ(markdown("</p></div></ul></table></td></pre></a></code>x"), "x");
  EXPECT_EQ(markdown("x<p"), "x");
  EXPECT_EQ(markdown("x<a href=\"never closed>y</a>"), "x");
  EXPECT_EQ(markdown("x<!-- never closed"), "x");
  EXPECT_EQ(markdown("x<!-->y<!doctype html>z<?xml ?>w</ >v"), "xyzwv");
  EXPECT_EQ(markdown("<td>cell without table<tr>row"), "cell without tablerow");
  EXPECT_EQ(markdown("<table><table><tr><td>a<td>b</table>"), "| a | b |\n|---|---|");
  EXPECT_EQ(markdown("<p title='a > b' data-x=<>y</p>"), "y");
}

// What would be deep or endless if it were done carelessly.
TEST(HtmlText, survives_hostile_pages) {
  const auto repeated = [](std::string_view piece, int times) {
    std::string made;
    for (int i = 0; i < times; ++i) made += piece;
    return made;
  };
  for (const char* piece : {"<ul><li>x",
                            "<blockquote>x",
                            "<table><tr><td>x",
                            "<div>",
                            "<a href=/x>y",
                            "<code>x",
                            "<pre>x",
                            "<",
                            "<!--",
                            "<!-",
                            "</",
                            "</script",
                            "<script",
                            "<svg>",
                            "&",
                            "&#",
                            "&#x",
                            "<a b=\"",
                            "<a b='c' ",
                            "<p hidden",
                            "<h1>",
                            "<td>x",
                            "<tr>",
                            "</table>",
                            "<table>",
                            "<ol start=99999999999>",
                            "<title>",
                            "<a href=x><code>",
                            "</code></a>",
                            "<table><tr><td><pre>"}) {
    const std::string html = repeated(piece, 10'000) + "end";
    const HtmlPage page = page_of(html, kPatiently);
    EXPECT_LE(page.text.size(), 40 * html.size()) << piece;
  }
}

TEST(HtmlText, reads_pages_that_are_deeper_than_a_stack) {
  std::string html;
  for (int i = 0; i < 300'000; ++i) html += "<span>";
  EXPECT_EQ(page_of(html + "end", kPatiently).text, "end");
}

// The standard itself asks for as many elements here as there are starts times ends.
TEST(HtmlText, refuses_pages_that_are_built_to_take_memory_or_time) {
  std::string html = "<p>";
  for (int i = 0; i < 5'000; ++i) html += fmt::format("<b x={}>", i);
  for (int i = 0; i < 5'000; ++i) html += "</p><p>x";
  const auto greedy = read_html(html, {.limits = {.memory = std::size_t{32} << 20U}});
  ASSERT_FALSE(greedy);
  EXPECT_EQ(greedy.error().code, ErrorCode::limit_reached);

  std::string attributes = "<a";
  for (int i = 0; i < 200'000; ++i) attributes += fmt::format(" a{}", i);
  const auto begin = std::chrono::steady_clock::now();
  const auto slow =
      read_html(attributes + ">x", {.limits = {.time = std::chrono::milliseconds(50)}});
  ASSERT_FALSE(slow);
  EXPECT_EQ(slow.error().code, ErrorCode::limit_reached);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(HtmlText, is_read_in_part_where_it_has_too_many_elements) {
  std::string html = "begin";
  for (int i = 0; i < 200'000; ++i) html += "<br>x";
  const HtmlPage page = page_of(html, {.limits = {.memory = std::size_t{32} << 20U}});
  EXPECT_TRUE(page.is_cut);
  EXPECT_TRUE(page.text.starts_with("begin\nx\nx\n")) << page.text.substr(0, 100);
}

TEST(HtmlText, is_cut_where_the_page_itself_is_too_long) {
  std::string html(std::size_t{9} << 20U, ' ');
  const HtmlPage page = page_of("a" + html + "b");
  EXPECT_TRUE(page.is_cut);
  EXPECT_EQ(page.text, "a");
}

TEST(HtmlText, is_cut_where_it_grows_too_long) {
  std::string html;
  for (int i = 0; i < 10'000; ++i) html += "<a href=x>y</a> ";
  const HtmlPage page =
      page_of(html, {.resolve = [](std::string_view, LinkRole) { return std::string(1500, 'z'); },
                     .max_bytes = 100'000});
  EXPECT_TRUE(page.is_cut);
  EXPECT_LE(page.text.size(), 102'000U);
}

TEST(HtmlText, has_entities_decoded) {
  EXPECT_EQ(markdown("&lt;p&gt; &amp;amp; &eacute;&Eacute; &hellip; &#8364; &#x20ac; &#X41;"),
            "<p> &amp; éÉ … € € A");
  EXPECT_EQ(markdown("&#150; &#65 &#65x &lt b"), "– A Ax < b");
  EXPECT_EQ(markdown("a&#xD800;b &#x110000; &#x;"),
            "a\xEF\xBF\xBD"
            "b \xEF\xBF\xBD &#x;");
  // Numbers that no character has must not become bytes that no text has.
  EXPECT_TRUE(is_valid_utf8(markdown("&#99999999999999; &#xFFFFFFF1; &#x80000041;")));
  EXPECT_EQ(markdown("<a href='/?a=1&copy=2&b'>x</a>"), "[x](https://h/?a=1&copy=2&b)");
}

TEST(HtmlText, finds_attributes_however_they_are_written) {
  EXPECT_EQ(markdown("<A HREF = '/a&amp;b' checked x=1/2 y=\"p>q\" href=/second>x</A>"),
            "[x](https://h/a&b)");
}

// Each of these was shown, or hid too much, where end tags are guessed and not found as a browser
// finds them.
TEST(HtmlText, agrees_with_browsers_on_where_what_is_hidden_ends) {
  EXPECT_EQ(markdown("<b hidden>no<p>no</b>still no?</p>yes"), "still no?\n\nyes");
  EXPECT_EQ(markdown("<div hidden><table><tr><td></div>no</td></tr></table>no</div>yes"), "yes");
  EXPECT_EQ(markdown("<table hidden>foster<tr><td>no</table>yes"), "fosteryes");
  EXPECT_EQ(markdown("<div hidden><svg><p>no</p></svg>no</div>yes"), "yes");
  EXPECT_EQ(markdown("<span hidden><!-- </span> -->no</span>yes"), "yes");
  EXPECT_EQ(markdown("<span hidden title='</span>'>no</span>yes"), "yes");
  EXPECT_EQ(markdown("<div hidden><script></div></script>no</div>yes"), "yes");
  EXPECT_EQ(markdown("<dialog>no</dialog><dialog open>yes</dialog>"), "yes");
  EXPECT_EQ(markdown("<plaintext>a</plaintext>"), "```\na</plaintext>\n```");
}

TEST(HtmlCharacterSet, is_what_the_page_says) {
  EXPECT_EQ(html_character_set("<html><meta charset=\"koi8-r\">"), "koi8-r");
  EXPECT_EQ(html_character_set("<meta http-equiv=Content-Type content='text/html; charset=big5'>"),
            "big5");
  EXPECT_EQ(html_character_set("<p>" + std::string(2000, 'x') + "<meta charset=big5>"), "");
}

}  // namespace
}  // namespace wright::tools
