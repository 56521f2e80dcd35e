import { readFileSync, writeFileSync } from "node:fs"
import { availableParallelism, loadavg } from "node:os"
import { join } from "node:path"
import { contestants } from "./contestants.mjs"
import { quartiles } from "./statistics.mjs"

/** Writes the docs page from measured results. */
export function writePage(file, { rows, ratios, above, rounds }) {
  const parts = [intro(rounds), requests(rows), others(rows), held(ratios, rows), heap(above, rows), ourselves()]
  writeFileSync(file, parts.flat().join("\n"))
}

function intro(rounds) {
  return [
    "<!-- Written by `pnpm bench`: change apps/rigs/bench instead. -->",
    "",
    "# Performance",
    "",
    "Compare the cost of our servers with others, as measured by `pnpm bench`. Each server runs in its own process with the same",
    "tools. All servers of a row answer in turn, round by round. The measure is the processor time of the server's process, so",
    "neither the client nor other load on the machine counts. Ours runs with its limits, catch-up and a log of each call (pino).",
    "Absolute numbers depend on the machine, so compare within a row.",
    "",
    `Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0].toFixed(0)}, ${rounds} rounds, medians. ${versions()}`,
    "",
  ]
}

function versions() {
  const { dependencies } = JSON.parse(readFileSync(join(import.meta.dirname, "..", "peers", "package.json"), "utf8"))
  const named = [
    "@modelcontextprotocol/server",
    "@modelcontextprotocol/sdk",
    "fastmcp",
    "mcp-handler",
    "@devframes/agentic",
    "mcp-lite",
    "tmcp",
  ]
  return `${named.map((name) => `\`${name}\` ${dependencies[name]}`).join(", ")}.`
}

/** Writes the servers as rows and the requests as columns. */
function requests(rows) {
  const ids = Object.keys(rows).filter((id) => rows[id].tools !== undefined)
  return [
    "## A request over HTTP, in µs of CPU",
    "",
    ...table(
      ["server", ...ids.map((id) => rows[id].title)],
      Object.entries(contestants).map(([name, { title }]) => [
        title,
        ...ids.map((id) => (rows[id].costs[name] ? toNumber(quartiles(rows[id].costs[name]).median) : "–")),
      ]),
    ),
    "",
  ]
}

function others(rows) {
  const all = Object.values(rows).filter(({ tools }) => tools === undefined)
  return [
    "## Other measurements",
    "",
    ...table(
      ["what", "unit", "ours", "SDK v2", "tmcp"],
      all.map(({ title, unit, costs }) => [title, unit, ...["ours", "sdk", "tmcp"].map((who) => shown(costs, who))]),
    ),
    "",
    "## What a process loads",
    "",
    "The files of code that the process has loaded by then, the application's included. None of these applications uses rxjs:",
    "one that imports it loads 223 files more.",
    "",
    ...table(
      ["what", "ours", "SDK v2", "tmcp"],
      all.flatMap(({ loads }) =>
        loads === undefined ? [] : [[loads.title, ...["ours", "sdk", "tmcp"].map((who) => toLoads(loads.found[who]))]],
      ),
    ),
    "",
  ]
}

function toLoads(found) {
  return found === undefined ? "–" : `${found.files} files, ${found.kB.toLocaleString("en")} kB`
}

function shown(costs, who) {
  const found = Object.entries(costs).find(([name]) => name.startsWith(who) || (who === "sdk" && name === "node"))
  return found === undefined ? "–" : toNumber(quartiles(found[1]).median)
}

function held(ratios, rows) {
  return [
    "## Ratios, and their limits",
    "",
    "Each ratio is the median over the rounds of one run, with quartiles.",
    "",
    ...table(
      ["what", "of", "to", "ratio", "limit"],
      ratios.map(({ row, of, to, ratio, most }) => [
        rows[row].title,
        titleOf(of),
        titleOf(to),
        `${ratio.median.toFixed(2)} (${ratio.from.toFixed(2)} to ${ratio.to.toFixed(2)})`,
        most === undefined ? "" : `${most}${ratio.median > most ? ", not reached" : ""}`,
      ]),
    ),
    "",
  ]
}

/** Writes the figures of benchmarks that compare us with ourselves, as they were when their limits were set. */
function ourselves() {
  return [
    "## Many principals and links",
    "",
    "These benchmarks measure no other server. The naive way is an adapter for each principal, and a service that emits its whole",
    "map of links.",
    "",
    ...table(
      ["what", "ours", "limit", "the naive way", "measured by"],
      [
        ["heap of one of 1,000 principals of a service of 1,000 tools", "41 kB", "60 kB", "3,190 kB", principals],
        ["its first list", "0.4 ms", "1 ms", "83 ms", principals],
        ["a toggle told to all 1,000", "19 ms", "20 ms", "–", principals],
        ["a link added or removed among 2,000, to among 100", "1.1 ×", "1.5 ×", "16 ×", "`pnpm bench links`"],
      ],
    ),
    "",
  ]
}

const principals = "`pnpm bench principals`"

/** Writes the heap of idle clients. If a client has an open socket, both figures include it. */
function heap(above, rows) {
  return [
    "## Heap above another's, in kB",
    "",
    ...table(
      ["what", "of", "to", "above", "limit"],
      above.map(({ row, of, to, kB, most }) => [
        rows[row].title,
        titleOf(of),
        titleOf(to),
        kB.toFixed(1),
        `${most}${kB > most ? ", not reached" : ""}`,
      ]),
    ),
    "",
  ]
}

function titleOf(name) {
  return contestants[name]?.title ?? { ours: "ours", sdk: "SDK v2", tmcp: "tmcp" }[name]
}

function table(head, body) {
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`)
}

function toNumber(number) {
  return number >= 100 ? Math.round(number).toLocaleString("en") : number.toFixed(1)
}
