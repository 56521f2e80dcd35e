import { readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import { contestants } from "./contestants.mjs"
import { quartiles } from "./statistics.mjs"

/** Writes what was measured as a page of the docs. */
export function writePage(file, { rows, ratios, above, rounds }) {
  const parts = [intro(rounds), requests(rows), others(rows), held(ratios, rows), heap(above, rows)]
  writeFileSync(file, parts.flat().join("\n"))
}

function intro(rounds) {
  return [
    "<!-- Written by `pnpm bench`: change apps/rigs/bench instead. -->",
    "",
    "# Performance",
    "",
    "What our servers cost beside others, as `pnpm bench` measured it. Every server runs in a process of its own, with the",
    "same tools; all servers of a row answer in turn, round by round, and what counts is the processor time of the server's",
    "process, so that neither the client nor what else the machine does is in it. Ours runs with its limits, its catch-up and",
    "a log of each call (pino). Absolute numbers are those of one machine: compare within a row.",
    "",
    `Node ${process.version}, ${availableParallelism()} cores, ${rounds} rounds, medians. ${versions()}`,
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
  ]
  return `${named.map((name) => `\`${name}\` ${dependencies[name]}`).join(", ")}.`
}

/** A column for each row, since there are more servers than kinds of requests fit beside each other. */
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
    "## Everything else",
    "",
    ...table(
      ["what", "unit", "ours", "SDK v2"],
      all.map(({ title, unit, costs }) => [title, unit, shown(costs, "ours"), shown(costs, "sdk")]),
    ),
    "",
  ]
}

function shown(costs, who) {
  const found = Object.entries(costs).find(([name]) => name.startsWith(who) || (who === "sdk" && name === "node"))
  return found === undefined ? "–" : toNumber(quartiles(found[1]).median)
}

function held(ratios, rows) {
  return [
    "## Ratios, and their limits",
    "",
    "Of the rounds of one run: the median, with the quartiles.",
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

/** By what each holds who only waits; a socket, where there is one, is in both. */
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
  return contestants[name]?.title ?? { ours: "ours", sdk: "SDK v2" }[name]
}

function table(head, body) {
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`)
}

function toNumber(number) {
  return number >= 100 ? Math.round(number).toLocaleString("en") : number.toFixed(1)
}
