// The look of pages, in light and dark and on paper. Templates may use .grid, .card, .cards, .badge, .muted, .good, .warn and .bad.

const light = `
color-scheme:light;--page:#f7f8fa;--card:#fff;--ink:#1b2130;--soft:#5d6678;--line:#e4e7ec;--grid:#eceef2;--zero:#c3c9d4;--link:#2f5fd0;
--blue:#4270dd;--teal:#1f9d8b;--amber:#dd9526;--red:#d2544f;--violet:#8a62d3;--sky:#3fa3d9;--pink:#c9599b;--grey:#8a94a6;--green:#3d9a5c;
--good:#22784a;--warn:#8f5a00;--bad:#b43a35`

const dark = `
color-scheme:dark;--page:#12151c;--card:#1a1f29;--ink:#e6e9ef;--soft:#99a3b5;--line:#2a303d;--grid:#262c38;--zero:#475063;--link:#8fb2ff;
--blue:#7ea3ff;--teal:#4cc7b5;--amber:#efb65a;--red:#ef8680;--violet:#b49bf0;--sky:#78c3ef;--pink:#e08fc1;--grey:#97a2b5;--green:#66c48b;
--good:#74d19b;--warn:#efbe6d;--bad:#f29a95`

const colors = ['blue', 'teal', 'amber', 'red', 'violet', 'sky', 'pink', 'grey', 'green']

const series = colors
  .map((name, index) => `.ry-${name}${index < 8 ? `,.ry-${index + 1}` : ''}{--c:var(--${name})}`)
  .join('')

const text = `
*{box-sizing:border-box}
body{margin:0 auto;max-width:1160px;padding:28px 24px 48px;background:var(--page);color:var(--ink);
font:15px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;-webkit-text-size-adjust:100%}
h1,h2,h3,h4{line-height:1.25;margin:1.6em 0 .5em;font-weight:650;text-wrap:balance}
h1{font-size:1.65rem;letter-spacing:-.015em;margin:0 0 .2em}h2{font-size:1.15rem}h3{font-size:1rem}h4{font-size:.9rem;color:var(--soft)}
p{margin:.6em 0;max-width:75ch}a{color:var(--link);text-underline-offset:2px}a:not([href]){color:inherit;text-decoration:none}
code,kbd,samp,pre{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
pre{overflow:auto;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px}
hr{border:0;border-top:1px solid var(--line);margin:1.6em 0}img,svg{max-width:100%}blockquote{margin:1em 0;padding:0 0 0 14px;border-left:3px solid var(--line);color:var(--soft)}
progress,meter{width:100%;height:10px}
.grid{display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(min(100%,340px),1fr));margin:16px 0}.grid>*{min-width:0;margin:0}
.cards{display:grid;gap:16px;grid-template-columns:repeat(auto-fit,minmax(min(100%,170px),1fr));margin:16px 0}.cards>*{margin:0}
.card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px 18px;margin:16px 0}.card>:first-child{margin-top:0}.card>:last-child{margin-bottom:0}
.muted,.ry-note,.ry-as-of{color:var(--soft);font-size:.87rem}.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}
.badge{display:inline-block;padding:1px 9px;border-radius:99px;font-size:.8rem;background:color-mix(in srgb,currentColor 12%,transparent)}
.ry-head{margin:0 0 20px}.ry-as-of{margin:0}.ry-note{margin:10px 0 0}`

const figures = `
figure{margin:16px 0}.ry-chart{container-type:inline-size;display:flex;flex-direction:column}@container (max-width:660px){.ry-fit0{display:none}}@container (max-width:420px){.ry-fit1{display:none}}figcaption{font-weight:600;font-size:.95rem;margin:0 0 12px}
.ry-chart,.ry-data,.ry-number{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:16px 18px}
.card .ry-chart,.card .ry-data,.card .ry-number{background:none;border:0;padding:0}
.ry-number{display:flex;flex-direction:column;gap:2px;min-width:0}
.ry-label{color:var(--soft);font-size:.85rem}.ry-value{font-size:1.85rem;line-height:1.2;font-weight:650;letter-spacing:-.02em;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.ry-unit{font-size:.95rem;font-weight:500;color:var(--soft);letter-spacing:0}.ry-change{font-size:.85rem;font-variant-numeric:tabular-nums}
.ry-even{color:var(--soft)}.ry-good{color:var(--good)}.ry-bad{color:var(--bad)}
.ry-legend{display:flex;flex-wrap:wrap;gap:4px 16px;list-style:none;margin:-4px 0 14px;padding:0;font-size:.82rem;color:var(--soft)}
.ry-legend i{display:inline-block;width:10px;height:10px;border-radius:3px;background:var(--c);margin-right:6px}
.ry-plot{display:block;flex:none;overflow:visible;max-width:none}.ry-shapes{overflow:visible}.ry-below{height:24px;flex:none}
.ry-plot text{font-size:12px;fill:var(--soft);font-variant-numeric:tabular-nums}.ry-y{text-anchor:end}.ry-x{text-anchor:middle}.ry-plot .ry-value-text{fill:var(--ink)}
.ry-grid{stroke:var(--grid)}.ry-zero{stroke:var(--zero)}.ry-guide{stroke:var(--zero);stroke-dasharray:3 3}
.ry-bar{fill:var(--c)}.ry-line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.ry-area{fill:var(--c);fill-opacity:.16}.ry-dot{fill:var(--c);stroke:var(--card);stroke-width:1.5}
.ry-hit{fill:transparent}.ry-at:hover>.ry-hit{fill:var(--ink);fill-opacity:.04}
.ry-point>.ry-dot,.ry-point>.ry-guide{opacity:0}.ry-point:hover>*{opacity:1}
.ry-empty{flex:1;display:grid;place-items:center;min-height:120px;color:var(--soft);font-size:.9rem;border:1px dashed var(--line);border-radius:8px}`

const tables = `
table{border-collapse:collapse;width:100%;font-size:.9rem;font-variant-numeric:tabular-nums}
th,td{padding:7px 12px;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);overflow-wrap:break-word}
th{color:var(--soft);font-weight:600;font-size:.82rem;white-space:nowrap}tbody tr:last-child>*{border-bottom:0}
.ry-scroll{overflow:auto;margin:0 -6px}.ry-tall{max-height:560px}.ry-table th{position:sticky;top:0;background:var(--card);padding:0;box-shadow:inset 0 -1px var(--line);border:0}
.ry-table tbody tr:hover{background:color-mix(in srgb,var(--ink) 4%,transparent)}
.ry-table .ry-right{text-align:right;white-space:nowrap}.ry-table .ry-time{white-space:nowrap}
.ry-sort{all:unset;display:block;box-sizing:border-box;width:100%;padding:7px 12px;cursor:pointer}.ry-sort:hover{color:var(--ink)}.ry-sort:focus-visible{outline:2px solid var(--link);outline-offset:-2px;border-radius:4px}
th[aria-sort=ascending] .ry-sort::after{content:" \\2191"}th[aria-sort=descending] .ry-sort::after{content:" \\2193"}`

const paper = `
@page{margin:16mm 14mm}
@media print{:root:not([data-theme=dark]){${light};--page:#fff}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
html{font-size:13px}body{max-width:none;padding:0 1px;font-size:12px}.ry-scroll,.ry-tall{overflow:visible;max-height:none;margin:0}
th,td{padding:5px 8px}.ry-table th{position:static;padding:5px 8px;white-space:normal;box-shadow:none;border-bottom:1px solid var(--line)}.ry-sort{display:contents}
thead{display:table-header-group}tr,.ry-chart,.ry-number,.card:not(:has(table)),li,blockquote,img,svg{break-inside:avoid}h1,h2,h3,h4,figcaption{break-after:avoid}
.grid{grid-template-columns:repeat(2,1fr)}.cards{grid-template-columns:repeat(4,1fr)}a{color:inherit}}
@media (max-width:560px){body{padding:18px 14px 32px}}`

export const pageStyle = `:root{${light}}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${dark}}}
:root[data-theme=dark]{${dark}}
${series}${text}${figures}${tables}${paper}
`
