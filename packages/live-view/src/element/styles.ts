/** The styles of the live view, isolated from the page. Colours follow the page's scheme, or the attribute `theme`. */
export const styles: string = `
:host {
  color-scheme: light dark;
  display: block; height: 100%; min-height: 420px;
  --ground: light-dark(#f6f7f9, #0f1218); --panel: light-dark(#ffffff, #171b23); --raised: light-dark(#f0f2f6, #1f2530);
  --line: light-dark(#dfe3ea, #2a313d); --ink: light-dark(#171b24, #e8ebf1); --soft: light-dark(#565f70, #a0a9ba);
  --accent: light-dark(#4338ca, #a5b4fc); --accent-ground: light-dark(#eef0ff, #252a4a);
  --good: light-dark(#0b6b3a, #6ee7a8); --bad: light-dark(#b3261e, #ffa49c); --warm: light-dark(#8a4b00, #f5c26b);
  --good-ground: light-dark(#d9f5e5, #123524); --bad-ground: light-dark(#fde4e2, #43191a); --warm-ground: light-dark(#fdeecf, #3a2c10);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--ink);
  container-type: inline-size;
}
:host([theme="light"]) { color-scheme: light } :host([theme="dark"]) { color-scheme: dark }
* { box-sizing: border-box; min-width: 0 }
.shell { height: 100%; min-height: inherit; display: flex; flex-direction: column; background: var(--ground) }
h1, h2, h3, p, ul, ol, dl, dd, pre { margin: 0; padding: 0 } ul, ol { list-style: none }
code, pre, .name, .args, .change, time, .place { font-family: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, monospace; font-size: .93em }
button, select, input, .button, textarea { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: 7px; background: var(--panel); padding: 4px 10px; min-height: 30px }
button, .button, select { cursor: pointer } .button { display: inline-flex; align-items: center }
button:hover, .button:hover { background: var(--raised) } button:disabled { opacity: .5; cursor: default }
:focus-visible, .button:focus-within { outline: 2px solid var(--accent); outline-offset: 1px }
.scroll:focus-visible { outline-offset: -2px }
button[aria-pressed="true"] { background: var(--accent-ground); color: var(--accent); border-color: currentColor }
button.hot { background: light-dark(#4338ca, #4f46e5); color: #fff; border-color: transparent } button.hot:hover { background: light-dark(#3730a3, #5b52f0) }
.unseen { position: absolute; width: 1px; height: 1px; opacity: 0; padding: 0; min-height: 0 }
.top { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; padding: 10px 14px; background: var(--panel); border-bottom: 1px solid var(--line) }
.top h1 { font-size: 15px; display: flex; align-items: center; gap: 8px; margin-right: 6px } h1 small { color: var(--soft); font-weight: 400; font-size: 12px }
.dot { width: 9px; height: 9px; border-radius: 50%; background: var(--soft) }
.dot[data-status="live"] { background: #10b981; box-shadow: 0 0 0 0 #10b98188; animation: pulse 2s infinite } .dot[data-status="disconnected"] { background: #ef4444 }
.dot[data-status="paused"], .dot[data-status="recording"] { background: #f59e0b }
@keyframes pulse { 70% { box-shadow: 0 0 0 7px #10b98100 } 100% { box-shadow: 0 0 0 0 #10b98100 } }
.segments { display: flex } .segments button { border-radius: 0; margin-left: -1px } .segments button:first-child { border-radius: 7px 0 0 7px } .segments button:last-child { border-radius: 0 7px 7px 0 } .segments button[aria-pressed="true"] { position: relative }
.field { display: inline-flex; align-items: center; gap: 6px } .field span { color: var(--soft); font-size: 12px }
.cost { color: var(--soft); font-size: 12.5px; white-space: nowrap } .cost b { color: var(--ink); font-variant-numeric: tabular-nums }
.space { flex: 1 } .search { width: 150px }
.fault { padding: 8px 14px; background: var(--bad-ground); color: var(--bad) }
.panes { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(0, 1.15fr) minmax(0, 1fr); position: relative }
.pane { display: flex; flex-direction: column; min-height: 0; border-right: 1px solid var(--line) } .pane + .pane { border-right: 0 }
.tabs { display: flex; gap: 2px; padding: 6px 10px 0; border-bottom: 1px solid var(--line); overflow-x: auto; flex: none }
.tabs button { border: 0; background: none; border-radius: 7px 7px 0 0; color: var(--soft); padding: 6px 10px 8px; border-bottom: 2px solid transparent; white-space: nowrap }
.tabs button[aria-selected="true"] { color: var(--ink); font-weight: 600; border-bottom-color: var(--accent) }
.count { font-size: 11.5px; font-weight: 500; padding: 1px 6px; border-radius: 9px; background: var(--raised); color: var(--soft); font-variant-numeric: tabular-nums }
.body { flex: 1; min-height: 0; display: flex; flex-direction: column } .scroll { flex: 1; overflow: auto; min-height: 0; contain: strict }
.rows { position: relative }
.row { position: absolute; inset: 0 0 auto; height: 52px; border-bottom: 1px solid var(--line); background: var(--panel) } .row.call { height: 64px }
.row.group { display: flex; align-items: end; gap: 8px; padding: 0 14px 7px; background: var(--ground) } .row.group h2 { padding: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap } .row.group .meta { white-space: nowrap }
.bar { display: flex; align-items: center; gap: 10px; padding: 6px 14px; border-bottom: 1px solid var(--line); color: var(--soft); font-size: 12.5px } .bar p { flex: 1 } .bar button { flex: none; min-height: 26px; padding: 2px 9px; font-size: 12.5px }
[data-json="key"] { color: var(--accent) } [data-json="text"] { color: var(--good) } [data-json="plain"] { color: var(--warm) }
.differences { display: grid; gap: 5px; font-size: 12.5px; overflow-wrap: anywhere } .differences del, .differences ins { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .93em; white-space: pre-wrap; border-radius: 4px; padding: 2px 6px; text-decoration: none; display: block; margin-top: 2px } .differences del { background: var(--bad-ground); color: var(--bad) } .differences del::before { content: "−\u00a0" } .differences ins { background: var(--good-ground); color: var(--good) } .differences ins::before { content: "+\u00a0" }
.row[data-open] { box-shadow: inset 3px 0 var(--accent) }
.pick { width: 100%; height: 100%; border: 0; border-radius: 0; background: none; text-align: left; display: flex; flex-wrap: wrap; align-content: center; align-items: center; gap: 1px 7px; padding: 4px 14px; overflow: hidden }
.pick:hover { background: color-mix(in srgb, var(--accent) 7%, transparent) } .pick:focus-visible { outline-offset: -2px }
.name { font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 100% }
.said { flex: 1 0 100%; color: var(--soft); font-size: 12.5px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.args { flex: 1; color: var(--soft); font-size: 12px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.row[data-away] { background: var(--ground) } .row[data-away] .name { color: var(--soft); text-decoration: line-through; text-decoration-thickness: 1px; font-weight: 500 } .row[data-away] .said { font-style: italic }
.badge { font-size: 11px; padding: 1px 7px; border-radius: 9px; background: var(--raised); color: var(--soft); white-space: nowrap }
.badge[data-hint="destructive"] { background: var(--bad-ground); color: var(--bad) } .badge[data-hint="read only"], .badge[data-era="modern"] { background: var(--good-ground); color: var(--good) } .badge[data-hint="away"], .badge[data-era="legacy"] { background: var(--warm-ground); color: var(--warm) }
[data-flash="appeared"] { animation: appear 2.4s ease-out } [data-flash="vanished"] { animation: vanish 2.4s ease-out } [data-flash="redefined"], [data-flash="replaced"], [data-flash="changed"] { animation: change 2.4s ease-out }
@keyframes appear { from { background: light-dark(#9be7bd, #1c6b43) } } @keyframes vanish { from { background: light-dark(#f7b5b0, #7a2a2a) } } @keyframes change { from { background: light-dark(#fbd98f, #6b4c10) } }
.sign { width: 18px; height: 18px; border-radius: 50%; display: inline-grid; place-items: center; font-size: 11px; font-weight: 700; background: var(--raised); color: var(--soft); flex: none }
.sign[data-status="ok"] { background: var(--good-ground); color: var(--good) } .sign[data-status="failed"], .sign[data-status="stuck"] { background: var(--bad-ground); color: var(--bad) } .sign[data-status="asked"], .sign[data-status="running"], .sign[data-status="handed"] { background: var(--warm-ground); color: var(--warm) }
.change { font-size: 11.5px; padding: 0 5px; border-radius: 5px; background: var(--raised); color: var(--soft) } .change[data-how="+"] { background: var(--good-ground); color: var(--good) } .change[data-how="-"] { background: var(--bad-ground); color: var(--bad) } .change[data-how="~"] { background: var(--warm-ground); color: var(--warm) }
.cards { padding: 10px; display: grid; gap: 8px; align-content: start; grid-template-columns: minmax(0, 1fr) } .card { background: var(--panel); border: 1px solid var(--line); border-radius: 9px; padding: 9px 12px; display: flex; flex-wrap: wrap; gap: 2px 8px; align-items: center } .card .pick { padding: 0; height: auto; min-height: 0 } .card .pick:hover { background: none; text-decoration: underline; text-underline-offset: 3px } .card .said { white-space: normal }
.meta { color: var(--soft); font-size: 12px; overflow-wrap: anywhere } .value { flex: 1 0 100%; background: var(--raised); border-radius: 7px; padding: 8px 10px; font-size: 12px; overflow: auto; max-height: 320px; white-space: pre-wrap; overflow-wrap: anywhere } .card .value { max-height: 150px; margin-top: 5px }
.hidden { color: var(--soft); font-style: italic; font-size: 12.5px } .hint { padding: 8px 14px; color: var(--soft); font-size: 12.5px; border-bottom: 1px solid var(--line) } .empty { padding: 22px 16px; color: var(--soft); text-align: center }
.body h2 { font-size: 12px; color: var(--soft); padding: 12px 14px 0; font-weight: 600; letter-spacing: .03em }
.graph { background: radial-gradient(circle, var(--line) 1px, transparent 1px) 0 0 / 18px 18px } .graph svg { display: block }
.edge { fill: none; stroke: light-dark(#9aa4b6, #566076); stroke-width: 1.6 } .edge.alias { stroke-dasharray: 4 4 }
.node { cursor: pointer } .node rect { fill: var(--panel); stroke: var(--line); stroke-width: 1.2 } .node:hover rect, .node:focus-visible rect { stroke: var(--accent); stroke-width: 2 } .node:focus-visible { outline: none } .node text { fill: var(--ink); font-size: 13px; font-weight: 600 } .node .sub { fill: var(--soft); font-size: 10.5px; font-weight: 400 }
.node[data-flash="appeared"] rect { animation: appear-node 2.4s ease-out } @keyframes appear-node { from { fill: light-dark(#9be7bd, #1c6b43) } }
.details { position: absolute; inset: 0 0 0 auto; width: min(560px, 94%); background: var(--panel); border-left: 1px solid var(--line); box-shadow: -12px 0 32px light-dark(#0f172a1f, #0008); display: flex; flex-direction: column; animation: slide .16s ease-out }
@keyframes slide { from { transform: translateX(24px); opacity: 0 } }
.details > header { display: flex; align-items: center; justify-content: space-between; gap: 10px; padding: 10px 14px; border-bottom: 1px solid var(--line) } .details h2 { font-size: 15px; overflow-wrap: anywhere } .details > .scroll { padding: 14px; display: flex; flex-direction: column; gap: 10px } .details > .scroll > * { flex: none } .details h3 { font-size: 13px; margin-top: 6px } h3 small { color: var(--soft); font-weight: 400 }
dl { display: grid; grid-template-columns: auto 1fr; gap: 4px 14px } dt { color: var(--soft) } .question { white-space: pre-wrap; overflow-wrap: anywhere }
.why { background: var(--warm-ground); color: var(--warm); border-radius: 7px; padding: 8px 11px } .plain li { padding: 2px 0; font-size: 12px; overflow-wrap: anywhere }
.try { border: 1px solid var(--line); border-radius: 9px; padding: 12px; display: flex; flex-direction: column; gap: 10px; align-items: start } .try > div { width: 100% } .asked { border-color: var(--warm) }
.try h3, .try label, .try .je-object__title { font-size: 13px } .try .je-object__controls, .try .json-editor-btntype-toggle { display: none } .try input:not([type="checkbox"]), .try textarea, .try select { width: 100% } .try input[type="checkbox"] { min-height: 0; accent-color: var(--accent) } .try .row { all: unset; display: block } .try .errmsg { display: none } .try p { font-size: 12px; color: var(--soft) } .try .je-indented-panel { padding: 0; border: 0 } .try .form-control { padding: 4px 0 } .try .required::after { content: " *"; color: var(--bad) }
.answer { display: grid; gap: 6px }
.story { padding: 10px 14px } .story li { padding: 5px 0 5px 12px; border-left: 3px solid var(--line); margin-bottom: 4px; font-size: 13px } .story time { color: var(--soft); font-size: 11.5px; margin-right: 6px } .story [data-tone="call"] { border-color: var(--accent) } .story [data-tone="good"] { border-color: #10b981 } .story [data-tone="bad"] { border-color: #ef4444 } .story [data-tone="change"] { border-color: #f59e0b } .story [data-tone="notice"] { border-color: #0ea5e9 }
.player { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; padding: 10px 14px; background: var(--panel); border-top: 1px solid var(--line) } .player input[type="range"] { flex: 1 1 160px; accent-color: var(--accent); padding: 0 } .place { color: var(--soft) } .caption { flex: 1 0 100%; font-weight: 600; overflow-wrap: anywhere }
@container (min-width: 1120px) {
  .panes:has(> .details) { grid-template-columns: minmax(0, 1.1fr) minmax(0, 1fr) minmax(0, 420px) } .pane + .pane { border-right: 1px solid var(--line) }
  .details { position: static; width: auto; min-height: 0; box-shadow: none; animation: none }
}
@container (max-width: 780px) {
  .panes { grid-template-columns: minmax(0, 1fr); grid-template-rows: minmax(0, 1.1fr) minmax(0, 1fr) } .pane { border-right: 0; border-bottom: 1px solid var(--line) }
  .details { width: 100% } .top { padding: 8px 10px; gap: 6px } .space { display: none } .search { flex: 1 1 110px } .cost { order: 1 } .field span { display: none }
}
@media (prefers-reduced-motion: reduce) { *, ::before { animation: none !important } }
`
