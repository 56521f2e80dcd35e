// Plays MCP and sign-in in every framework behind every layer. Starts with the shortest setup, and applies each change that a
// message asks for until MCP works. Prints these changes. Fails if no message helps, or if other changes are needed than
// expected. Arguments select rows by a part of their name.
import { attempt } from "./attempt.mjs"
import { onExpress } from "./frameworks/express.mjs"
import { onFastify } from "./frameworks/fastify.mjs"
import { onHono } from "./frameworks/hono.mjs"
import { onKoa } from "./frameworks/koa.mjs"
import { onNest } from "./frameworks/nest.mjs"
import { onNode } from "./frameworks/node.mjs"
import { hasCors, LAYERS } from "./layers.mjs"
import { serveTokens } from "./serve-tokens.mjs"

/** The possible changes, with the message that asks for each. */
const CHANGES = {
  origins: {
    mark: "o",
    told: /expected one of the option "allowedOrigins"/,
    does: 'add the page to the option "allowedOrigins"',
  },
  methods: {
    mark: "d",
    told: /DELETE is not allowed by Access-Control-Allow-Methods/,
    does: "allow DELETE in the CORS middleware",
  },
  expose: {
    mark: "e",
    told: /name Mcp-Session-Id in Access-Control-Expose-Headers/,
    does: "expose Mcp-Session-Id in the CORS middleware",
  },
  handOn: {
    mark: "b",
    told: /the body was already read/,
    does: "pass the parsed body, or the framework's own arguments",
  },
  metadata: {
    mark: "m",
    told: /mount the handler at "\/\.well-known/,
    does: "also mount the handler at the path of its metadata",
  },
}

/** The number of cells played at once, since each mostly waits. */
const AT_ONCE = 6

const wanted = process.argv.slice(2).map((part) => part.toLowerCase())
const rows = [...onExpress, ...onFastify, ...onHono, ...onKoa, ...onNest, ...onNode].filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.toLowerCase().includes(part)),
)
if (rows.length === 0) throw new Error(`found no framework named ${wanted.join(", ")}`)

const tokens = await serveTokens()
const faults = []
const cells = rows.flatMap((row) =>
  LAYERS.filter((layer) => !row.lacks.includes(layer)).map((layer) => ({ row, layer })),
)
const waiting = [...cells]
await Promise.all(Array.from({ length: AT_ONCE }, playNext))
await tokens.close()
print()

async function playNext() {
  for (let cell = waiting.shift(); cell !== undefined; cell = waiting.shift()) {
    const { row, layer } = cell
    const anonymous = await playCell(cell, { way: {}, expected: expect(row, layer) })
    // The anonymous attempt's changes are kept, so only the metadata is still expected.
    const signedIn = await playCell(cell, { way: anonymous.way, expected: ["metadata"], who: tokens })
    cell.words = `${anonymous.words} / ${signedIn.words}`
  }
}

/** Plays one framework behind one layer. Returns the marks of the needed changes, and the setup that works. */
async function playCell({ row, layer }, { way: before, expected, who }) {
  const way = { ...before }
  const { told, problem } = await playUntilItWorks(row, { layer, way, who })
  const where = `${row.name}, ${layer}${who ? ", signing in" : ""}`
  if (problem !== undefined) faults.push(`${where}: ${problem}`)
  else if (told.join() !== expected.join())
    faults.push(`${where}: reported "${told.join(", ")}": expected "${expected.join(", ")}"`)
  return { way, words: problem === undefined ? told.map((name) => CHANGES[name].mark).join("") || "ok" : "FAULT" }
}

/** Applies the change that the messages ask for, until MCP works. */
async function playUntilItWorks(row, { layer, way, who }) {
  const told = []
  for (;;) {
    const said = await attempt(row, { layer, way, tokens: who })
    if (said.length === 0) return { told: sortChanges(told) }
    const change = Object.keys(CHANGES).find(
      (name) => !way[name] && said.some((words) => CHANGES[name].told.test(words)),
    )
    if (change === undefined) return { told, problem: said.join("\n    ") }
    way[change] = true
    told.push(change)
  }
}

/** Returns the expected changes of a cell. Any other result is a fault: remove a change from the rows once it is not needed. */
function expect({ reads, changes = {} }, layer) {
  const needed = [...(changes[layer] ?? []), ...(hasCors(layer) ? ["origins"] : [])]
  if (reads.includes(layer)) needed.push("handOn")
  return sortChanges(needed)
}

function sortChanges(names) {
  return Object.keys(CHANGES).filter((name) => names.includes(name))
}

function print() {
  const toWords = (row, layer) => cells.find((cell) => cell.row === row && cell.layer === layer)?.words ?? "–"
  const table = rows.map((row) => [row.name, ...LAYERS.map((layer) => toWords(row, layer))])
  const lines = [["without / with sign-in", ...LAYERS], ...table]
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)))
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    )
  console.log("\nok: works as first mounted. Otherwise the first request reports what to change, and then it works:")
  for (const { mark, does } of Object.values(CHANGES)) console.log(`  ${mark}  ${does}`)
  for (const fault of faults) console.log(`\n✗ ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}
