// Measures the types of 100 actions: processor time of `tsc` on a service of 100 actions against the same file without any, in
// one run. Prints each round's ratio and the median; exits with 1 when the median reaches the limit.
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join, relative, sep } from "node:path"

const actionCount = 100
const rounds = 5
const limit = 3

const packageFolder = join(import.meta.dirname, "..")
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc")
const cache = join(packageFolder, "node_modules", ".cache")
const meter = `data:text/javascript,${encodeURIComponent(
  'process.on("exit", () => { const { user, system } = process.cpuUsage(); process.stderr.write(String(user + system)) })',
)}`
mkdirSync(cache, { recursive: true })
// The folder lies inside the package, so that imports resolve as in its own files.
const folder = mkdtempSync(join(cache, "bench-types-"))

try {
  const base = project("base", 0)
  const full = project("full", actionCount)
  time(base)
  const ratios = Array.from({ length: rounds }, (_, round) => {
    const baseTime = time(base)
    const fullTime = time(full)
    const ratio = fullTime / baseTime
    console.log(
      `round ${round + 1}: base ${seconds(baseTime)}, ${actionCount} actions ${seconds(fullTime)}, ratio ${ratio.toFixed(2)}`,
    )
    return ratio
  })
  report(ratios.sort((a, b) => a - b))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function report(sorted) {
  const median = sorted[Math.floor(sorted.length / 2)]
  const spread = `${sorted[0].toFixed(2)}–${sorted.at(-1).toFixed(2)}`
  console.log(
    `${actionCount} actions cost ${median.toFixed(2)} × the base (${spread} over ${rounds} rounds; limit ${limit})`,
  )
  process.exitCode = median < limit ? 0 : 1
}

function project(name, count) {
  const target = join(folder, name)
  mkdirSync(target)
  const index = relative(target, join(packageFolder, "src", "index.js"))
    .split(sep)
    .join("/")
  writeFileSync(join(target, "service.ts"), source(index, count))
  const config = {
    extends: relative(target, join(packageFolder, "tsconfig.json")).split(sep).join("/"),
    compilerOptions: { noEmit: true, noUnusedLocals: false },
    files: ["service.ts"],
    include: [],
  }
  writeFileSync(join(target, "tsconfig.json"), JSON.stringify(config))
  return target
}

function source(index, count) {
  const actions = Array.from({ length: count }, (_, number) => actionSource(number))
  return `import { action, createAgenticService } from "${index}"
export const used = action
export const service = createAgenticService({ name: "bench", actions: {
${actions.join("\n")}
} })
`
}

/** Writes one action of realistic size: nested input, an output, properties read and returned. */
function actionSource(number) {
  return `  action${number}: action({
    description: "Action ${number}",
    input: {
      type: "object",
      properties: {
        id: { type: "string" },
        count${number}: { type: "integer", minimum: 0 },
        kind: { type: "string", enum: ["a", "b", "c${number}"] },
        card: {
          type: "object",
          properties: {
            title: { type: "string" },
            tags: { type: "array", items: { type: "string" } },
            place: {
              type: "object",
              properties: { x: { type: "number" }, y: { type: "number" } },
              required: ["x", "y"],
              additionalProperties: false,
            },
          },
          required: ["title", "place"],
          additionalProperties: false,
        },
      },
      required: ["id", "card", "count${number}"],
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: { id: { type: "string" }, sum: { type: "number" } },
      required: ["id", "sum"],
      additionalProperties: false,
    },
    execute: ({ id, card, count${number} }) => ({ id: id + card.title, sum: card.place.x + count${number} }),
  }),`
}

/**
 * Returns the processor time of one `tsc` run in milliseconds. Unlike wall time, it does not depend on other work of the
 * machine.
 */
function time(target) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", meter, tsc, "-p", target], {
    encoding: "utf8",
  })
  if (status !== 0) throw new Error(`the generated service does not compile:\n${stdout}${stderr}`)
  return Number(stderr) / 1000
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(2)} s`
}
