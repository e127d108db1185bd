/* SPDX-License-Identifier: GPL-2.0-only */
/* Fonts are the reader's; check/report/ computes the contrast of the colours.
 */
#include "html_page.h"

#define LIGHT                                                               \
	"--paper:#fff;--ink:#1b1f24;--faint:#57606a;--soft:#e3e6ea;"        \
	"--line:#d0d5db;--wash:#f6f8fa;--band:#c9dcf0;--link:#0a58a8;"      \
	"--bad:#b3202c;--bad-wash:#fdecec;--good:#1a6b37;"                  \
	"--good-wash:#e9f6ed;--open:#7a5200;--open-wash:#fdf4dd;"           \
	"--c1:#0b62ad;--c2:#b0480a;--c3:#0b7361;--c4:#86308c;--c5:#6b5f00;" \
	"--c6:#4d5358;"

#define DARK                                                                \
	"--paper:#14171b;--ink:#e4e7eb;--faint:#a3abb5;--soft:#2b3138;"     \
	"--line:#3a424b;--wash:#1c2126;--band:#25476b;--link:#79b8ff;"      \
	"--bad:#ff9a94;--bad-wash:#3a1c1e;--good:#7ddf9b;"                  \
	"--good-wash:#17301f;--open:#f0c869;--open-wash:#33290f;"           \
	"--c1:#6fb3ff;--c2:#ffa366;--c3:#4fd0b5;--c4:#e2a0e8;--c5:#d9c94f;" \
	"--c6:#c3cad2;"

/* clang-format off */
const char page_style[] =
":root{color-scheme:light dark;" LIGHT "}\n"
"@media screen and (prefers-color-scheme:dark){:root{" DARK "}}\n"
"*{box-sizing:border-box}\n"
"html{-webkit-text-size-adjust:100%;text-size-adjust:100%}\n"
"body{margin:0;background:var(--paper);color:var(--ink);"
	"font:1rem/1.5 system-ui,sans-serif}\n"
"main,header,footer{max-width:80rem;margin:0 auto;padding:0 1.25rem}\n"
"header{padding-top:2rem}\n"
"footer{padding-top:1rem;padding-bottom:3rem;color:var(--faint);font-size:.875rem}\n"
"h1{font-size:1.75rem;line-height:1.2;margin:0 0 .25rem}\n"
"h2{font-size:1.3rem;line-height:1.3;margin:2.75rem 0 .5rem;padding-top:.75rem;"
	"border-top:1px solid var(--line)}\n"
"h3{font-size:1.05rem;line-height:1.3;margin:2rem 0 .25rem}\n"
"h4{font-size:.875rem;line-height:1.3;margin:0 0 .25rem;font-weight:600}\n"
"p,ul{margin:.5rem 0;max-width:46rem}\n"
"ul{padding-left:1.25rem}\n"
"a{color:var(--link)}\n"
".lead{color:var(--faint);margin-top:0}\n"
"h1,h2,h3,p,li,td,th,figcaption{overflow-wrap:anywhere}\n"
"td,th,li{unicode-bidi:isolate}\n"
"nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.1rem 1rem}\n"
"nav a{display:inline-block;padding:.2rem 0}\n"
".table{overflow-x:auto;margin:.75rem 0 1rem}\n"
"table{border-collapse:collapse;font-size:.875rem;line-height:1.4;"
	"font-variant-numeric:tabular-nums}\n"
"caption{text-align:left;font-weight:600;padding:.25rem 0}\n"
"th,td{padding:.25rem .75rem .25rem 0;text-align:left;vertical-align:top;"
	"border-bottom:1px solid var(--soft);overflow-wrap:normal}\n"
"thead th{color:var(--faint);font-weight:500;border-bottom-color:var(--line);"
	"vertical-align:bottom}\n"
"tbody th{font-weight:500}\n"
".n{text-align:right;white-space:nowrap}\n"
".w{min-width:14rem;max-width:36rem;overflow-wrap:anywhere}\n"
".m{min-width:8rem;max-width:20rem;overflow-wrap:anywhere}\n"
".nowrap{white-space:nowrap}\n"
".table td ul{margin:0;padding:0;list-style:none}\n"
".bad,.good,.open{font-weight:600}\n"
".bad{color:var(--bad)}.good{color:var(--good)}.open{color:var(--open)}\n"
".note{border-left:4px solid var(--line);background:var(--wash);"
	"padding:.5rem .75rem;max-width:46rem;margin:.75rem 0}\n"
".note.isbad{border-color:var(--bad);background:var(--bad-wash)}\n"
".note.isopen{border-color:var(--open);background:var(--open-wash)}\n"
".note.isgood{border-color:var(--good);background:var(--good-wash)}\n"
".note p{margin:0}.note p+p,.note p+ul,.note ul{margin:.25rem 0 0}\n"
".figures{display:grid;gap:1.5rem 2rem;"
	"grid-template-columns:repeat(auto-fill,minmax(min(100%,23rem),1fr))}\n"
".metric{min-width:0}.metric.wide{grid-column:1/-1}\n"
".metrics{gap:0 2rem}\n"
"figure{margin:.5rem 0 0;min-width:0}\n"
"figure svg.plot{display:block;width:100%;max-width:27rem;height:auto}\n"
"figcaption{font-size:.875rem;line-height:1.45;max-width:27rem}\n"
"figcaption p{margin:.35rem 0 0}\n"
"figcaption .how{color:var(--faint)}\n"
"svg text{font-family:system-ui,sans-serif}\n"
".symbols{position:absolute}\n"
".keys{list-style:none;padding:0;margin:.35rem 0 0;display:flex;flex-wrap:wrap;"
	"gap:.1rem .9rem}\n"
".keys svg{width:1.5rem;height:.75rem;margin-right:.35rem;vertical-align:-.05rem}\n"
"@media (max-width:30rem){\n"
	"main,header,footer{padding-left:1rem;padding-right:1rem}\n"
	"h1{font-size:1.4rem}\n"
	"th,td{padding-right:.6rem}\n"
"}\n"
"@media print{\n"
	"body{font-size:10pt}\n"
	"main,header,footer{max-width:none;padding:0}\n"
	"nav{display:none}\n"
	"h2,h3,h4,caption,.lead{break-after:avoid}\n"
	"figure,tr,.note,.metric{break-inside:avoid}\n"
	"thead{display:table-header-group}\n"
	".table{overflow:visible}\n"
	"table{font-size:8pt}\n"
	".w,.m{min-width:0}\n"
	".figures{grid-template-columns:1fr 1fr;gap:1rem}\n"
	".bench+.bench{break-before:page}\n"
	".figures,figcaption{font-size:8.5pt}\n"
	"a{color:inherit;text-decoration:none}\n"
	"*{print-color-adjust:exact;-webkit-print-color-adjust:exact}\n"
"}\n"
"@page{margin:15mm}\n";
/* clang-format on */
