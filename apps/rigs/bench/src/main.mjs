// `pnpm bench server`: measures all rows with all servers, and writes dist/bench.json, docs/performance.md and the baseline.
// Arguments select rows by a part of their name; then nothing is written, since figures of different runs do not compare.
// `pnpm bench server --check`: measures the rows that have limits. Fails if a ratio's lower quartile is above its limit, or
// above the upper quartile of the committed baseline by more than the tolerance.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { contestants, few, most } from "./contestants.mjs"
import { httpRows, measureHttp } from "./http-rows.mjs"
import { printLeaving } from "./leaving.mjs"
import { heapLimits, limits } from "./limits.mjs"
import { measureLoads, measureProcess, processRows } from "./process-rows.mjs"
import { quartiles } from "./statistics.mjs"
import { heapRows, measureHeap, streamRows } from "./stream-rows.mjs"
import { writePage } from "./write-page.mjs"

const root = join(import.meta.dirname, "..", "..", "..", "..")
const baseline = join(import.meta.dirname, "..", "baseline.json")
/** The factor by which a ratio may exceed its baseline, since machines and their load differ. */
const TOLERANCE = 1.15

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
const checking = process.argv.includes("--check")
const rounds = checking ? 5 : 7
const file = join(root, "dist", "bench.json")

await printLeaving()
const ids = [httpRows, processRows, streamRows, heapRows].flatMap(Object.keys)
const rows = {}
for (const [id, row] of Object.entries(httpRows)) {
  const names = row.everybody ? (checking ? most : Object.keys(contestants)) : few
  await add(id, row, () => measureHttp(row, names, { rounds }))
}
for (const [id, row] of Object.entries(processRows)) {
  await add(id, row, () => measureProcess(row, { rounds }))
  if (rows[id] !== undefined && !checking) rows[id].loads = await measureLoads(row)
}
for (const [id, row] of Object.entries(streamRows)) {
  await add(id, row, async () => ({
    "ours modern": await row.measure("ours modern", { rounds }),
    "sdk modern": await row.measure("sdk modern", { rounds }),
  }))
}
for (const [id, row] of Object.entries(heapRows)) await add(id, row, () => measureHeap(row))

const ratios = limits.flatMap(toRatio)
const above = heapLimits.flatMap(toAbove)
for (const { row, of, to, ratio, most } of ratios) {
  const limit = most === undefined ? "" : `, limit ${most}${ratio.median > most ? ": over it" : ""}`
  console.log(`${row}: ${of} / ${to} ${show(ratio.median)} (${show(ratio.from)} to ${show(ratio.to)})${limit}`)
}
for (const { row, of, to, kB, most } of above) {
  console.log(`${row}: ${of} is ${kB.toFixed(1)} kB above ${to}, limit ${most}${kB > most ? ": over it" : ""}`)
}
if (checking) check()
else if (wanted.length === 0) finish()
else console.log("some rows only: docs/performance.md and the baseline stay as they are")
process.exit()

async function add(id, { title, unit = "µs of CPU", tools }, measure) {
  if (wanted.length > 0 && !wanted.some((part) => (ids.includes(part) ? id === part : id.includes(part)))) return
  if (checking && ![...limits, ...heapLimits].some(({ row }) => row === id)) return
  const costs = await measure()
  rows[id] = { title, unit, tools, costs }
  const line = Object.entries(costs).map(([name, all]) => `${name} ${quartiles(all).median.toFixed(1)}`)
  console.log(`${title} (${unit}): ${line.join(", ")}`)
}

/** Returns the quartiles of the ratio of two servers, taken round by round since both ran right after each other. */
function toRatio(limit) {
  const { [limit.of]: of, [limit.to]: to } = rows[limit.row]?.costs ?? {}
  if (of === undefined || to === undefined) return []
  return [{ ...limit, ratio: quartiles(of.map((cost, round) => cost / to[round])) }]
}

function toAbove(limit) {
  const { [limit.of]: of, [limit.to]: to } = rows[limit.row]?.costs ?? {}
  return of === undefined || to === undefined ? [] : [{ ...limit, kB: quartiles(of).median - quartiles(to).median }]
}

function check() {
  const committed = JSON.parse(readFileSync(baseline, "utf8"))
  const fail = (message) => {
    console.error(`✗ ${message}`)
    process.exitCode = 1
  }
  for (const { row, of, to, ratio, most } of ratios) {
    const name = `${row}: ${of} / ${to}`
    const found = `${name} is ${show(ratio.median)} (${show(ratio.from)} to ${show(ratio.to)})`
    const before = committed[name]
    if (most !== undefined && ratio.from > most) fail(`${found}, and may be ${most}`)
    else if (before !== undefined && ratio.from > before.to * TOLERANCE) {
      fail(`${found}, and was ${show(before.median)} (${show(before.from)} to ${show(before.to)})`)
    }
  }
  for (const { row, of, to, kB, most } of above) if (kB > most) fail(`${row}: ${of} is ${kB.toFixed(1)} kB above ${to}`)
}

function finish() {
  mkdirSync(join(root, "dist"), { recursive: true })
  writeFileSync(file, JSON.stringify({ node: process.version, rows, ratios }, undefined, 2))
  const inOrder = Object.fromEntries(ids.flatMap((id) => (rows[id] === undefined ? [] : [[id, rows[id]]])))
  writePage(join(root, "docs", "performance.md"), { rows: inOrder, ratios, above, rounds })
  const committed = ratios.map(({ row, of, to, ratio }) => [`${row}: ${of} / ${to}`, rounded(ratio)])
  writeFileSync(baseline, `${JSON.stringify(Object.fromEntries(committed), undefined, 2)}\n`)
}

function rounded(ratio) {
  return Object.fromEntries(Object.entries(ratio).map(([name, number]) => [name, Number(number.toFixed(3))]))
}

function show(number) {
  return number.toFixed(2)
}
