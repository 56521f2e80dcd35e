// `pnpm bench`: measures everything beside everybody, and writes dist/bench.json and docs/performance.md. Arguments name rows,
// by a part of their name: these are measured anew, and the rest is as it was measured last.
// `pnpm bench:check`: measures what the limits are about, and fails where a ratio is worse than the one that is committed.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { contestants, few } from "./contestants.mjs"
import { httpRows, measureHttp } from "./http-rows.mjs"
import { limits } from "./limits.mjs"
import { measureProcess, processRows } from "./process-rows.mjs"
import { quartiles } from "./statistics.mjs"
import { heapRows, measureHeap, streamRows } from "./stream-rows.mjs"
import { writePage } from "./write-page.mjs"

const root = join(import.meta.dirname, "..", "..", "..", "..")
const baseline = join(import.meta.dirname, "..", "baseline.json")
/** By how much a ratio may be worse than the committed one: machines differ, and so do their minutes. */
const TOLERANCE = 1.35

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith("--"))
const checking = process.argv.includes("--check")
const rounds = checking ? 5 : 7
const file = join(root, "dist", "bench.json")

const ids = [httpRows, processRows, streamRows, heapRows].flatMap(Object.keys)
const rows = {}
for (const [id, row] of Object.entries(httpRows)) {
  await add(id, row, () => measureHttp(row, checking || !row.everybody ? few : Object.keys(contestants), { rounds }))
}
for (const [id, row] of Object.entries(processRows)) await add(id, row, () => measureProcess(row, { rounds }))
for (const [id, row] of Object.entries(streamRows)) {
  await add(id, row, async () => ({
    "ours modern": await row.measure("ours modern", { rounds }),
    "sdk modern": await row.measure("sdk modern", { rounds }),
  }))
}
if (!checking) for (const [id, row] of Object.entries(heapRows)) await add(id, row, () => measureHeap(row))

if (!checking) for (const [id, row] of Object.entries(readLast())) rows[id] ??= row
const ratios = limits.flatMap(toRatio)
for (const { row, of, to, ratio, most } of ratios) {
  const limit = most === undefined ? "" : `, limit ${most}${ratio.median > most ? ": over it" : ""}`
  console.log(`${row}: ${of} / ${to} ${show(ratio.median)} (${show(ratio.from)} to ${show(ratio.to)})${limit}`)
}
if (checking) check()
else finish()
process.exit()

async function add(id, { title, unit = "µs of CPU", tools }, measure) {
  if (wanted.length > 0 && !wanted.some((part) => (ids.includes(part) ? id === part : id.includes(part)))) return
  if (checking && !limits.some(({ row }) => row === id)) return
  const costs = await measure()
  rows[id] = { title, unit, tools, costs }
  const line = Object.entries(costs).map(([name, all]) => `${name} ${quartiles(all).median.toFixed(1)}`)
  console.log(`${title} (${unit}): ${line.join(", ")}`)
}

/** Of the rounds of one run, in which both were measured one after the other. */
function toRatio(limit) {
  const { [limit.of]: of, [limit.to]: to } = rows[limit.row]?.costs ?? {}
  if (of === undefined || to === undefined) return []
  return [{ ...limit, ratio: quartiles(of.map((cost, round) => cost / to[round])) }]
}

function check() {
  const committed = JSON.parse(readFileSync(baseline, "utf8"))
  for (const { row, of, to, ratio } of ratios) {
    const before = committed[`${row}: ${of} / ${to}`]
    if (before === undefined || ratio.median <= before * TOLERANCE) continue
    console.error(`✗ ${row}: ${of} / ${to} is ${show(ratio.median)}, and was ${show(before)}`)
    process.exitCode = 1
  }
}

function readLast() {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).rows : {}
}

function finish() {
  mkdirSync(join(root, "dist"), { recursive: true })
  writeFileSync(file, JSON.stringify({ node: process.version, rows, ratios }, undefined, 2))
  const inOrder = Object.fromEntries(ids.flatMap((id) => (rows[id] === undefined ? [] : [[id, rows[id]]])))
  writePage(join(root, "docs", "performance.md"), { rows: inOrder, ratios, rounds })
  const committed = ratios.map(({ row, of, to, ratio }) => [`${row}: ${of} / ${to}`, Number(ratio.median.toFixed(3))])
  writeFileSync(baseline, `${JSON.stringify(Object.fromEntries(committed), undefined, 2)}\n`)
}

function show(number) {
  return number.toFixed(2)
}
