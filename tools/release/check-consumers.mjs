import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { findUnnamed, writeMistakes } from "./check-mistakes.mjs"
import { publishedPackages } from "./published-packages.mjs"

const COMPILERS = ["5.4", "5.5", "5.6", "5.7", "5.8", "5.9", "6.0", "7.0"]

/** Module resolutions of a consumer's program. */
const WAYS = {
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  node16: { module: "node16", moduleResolution: "node16" },
  bundler: { module: "esnext", moduleResolution: "bundler" },
}

/** The strict flags of a consumer's program. */
const OPTIONS = {
  target: "es2022",
  lib: ["es2023", "dom", "dom.iterable"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  // Skips errors in other packages' declarations; ours were checked when they were built.
  skipLibCheck: true,
}

/** The program of every consumer, whatever the packages. */
const PROGRAM = `
import { action, createAgenticService, state } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { createTestClient } from "@x/testing"
import { BehaviorSubject, combineLatest, firstValueFrom, map } from "rxjs"

const count$ = new BehaviorSubject(0)
const service = createAgenticService({
  name: "counter",
  states: { count: state({ schema: { type: "integer" }, value: count$ }) },
  actions: {
    add: action({
      description: "Add some",
      input: { type: "object", properties: { by: { type: "integer" } }, required: ["by"], additionalProperties: false },
      execute: ({ by }) => count$.next(count$.value + by),
    }),
  },
})
export const adapter = createMcpAdapter(service)
const client = await createTestClient(service)
const { outcome } = await client.call("add", { by: 2 })
if (!outcome.ok || (await client.read("count")) !== 2) throw new Error("the counter does not count")
// Our observables are of another copy of rxjs, on Node.
const keys = combineLatest([service.actions.pipe(map(Object.keys)), count$])
const [[key], value] = await firstValueFrom(keys)
if (key !== "add" || value !== 2) throw new Error("an application's rxjs does not follow our observables")
await client.close()
adapter.close()
`

/**
 * Installs tarballs in a new program that imports all their entries, compiles it under strict flags with each compiler and
 * module resolution, and runs it. Each compiler must also name the mistakes of authors.
 *
 * @returns The faults.
 */
export function checkConsumers(tarballs, folder) {
  mkdirSync(folder, { recursive: true })
  const aliases = Object.fromEntries(
    COMPILERS.map((version) => [`typescript-${version}`, `npm:typescript@~${version}.0`]),
  )
  const entries = publishedPackages().flatMap(({ name, manifest }) =>
    Object.keys(manifest.exports ?? {})
      .filter((path) => !path.includes("*") && typeof manifest.exports[path] === "object")
      .map((path) => name + path.slice(1)),
  )
  const imports = entries.map((entry, index) => `export * as e${index} from "${entry}"`).join("\n")
  const dependencies = Object.fromEntries(publishedPackages().map(({ name }) => [name, tarballOf(name, tarballs)]))
  write(
    folder,
    "package.json",
    JSON.stringify({ type: "module", private: true, dependencies, devDependencies: aliases }),
  )
  write(folder, "entries.ts", imports)
  write(folder, "program.ts", PROGRAM)
  const shell = process.platform === "win32"
  const further = [
    "rxjs@7",
    "@types/node@20",
    "@modelcontextprotocol/client",
    "@modelcontextprotocol/server",
    "@opentelemetry/api",
    "libsql",
    "@modelcontextprotocol/sdk@1",
  ]
  const install = [
    "install",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    "--prefer-offline",
    "--loglevel",
    "error",
    ...further,
  ]
  execFileSync("npm", install, { cwd: folder, shell, stdio: ["ignore", "ignore", "inherit"] })
  const faults = COMPILERS.flatMap((version) => Object.keys(WAYS).flatMap((way) => compile(folder, version, way)))
  writeMistakes(folder, { ...WAYS.nodenext, ...OPTIONS })
  for (const version of COMPILERS)
    faults.push(...findUnnamed(folder, tscOf(folder, version)).map((text) => `TypeScript ${version}: ${text}`))
  const ran = spawnSync(process.execPath, ["out/program.js"], { cwd: folder, encoding: "utf8" })
  if (ran.status !== 0) faults.push(`the consumer's program ended with ${ran.status}\n${ran.stderr}`)
  else console.log("ok  the consumer's program runs")
  return faults
}

function compile(folder, version, way) {
  const compilerOptions = {
    ...WAYS[way],
    ...OPTIONS,
    outDir: "out",
    rootDir: ".",
    // As a bundler writes it; Node's module resolutions need no more.
    ...(way === "nodenext" && version === COMPILERS.at(-1) ? {} : { noEmit: true }),
  }
  const config = `tsconfig.${way}.json`
  write(folder, config, JSON.stringify({ compilerOptions, files: ["entries.ts", "program.ts"] }))
  const tsc = tscOf(folder, version)
  const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, "-p", config], { cwd: folder, encoding: "utf8" })
  if (status === 0) console.log(`ok  TypeScript ${version}, ${way}`)
  return status === 0 ? [] : [`TypeScript ${version}, ${way}:\n${stdout.slice(0, 3_000)}${stderr}`]
}

function tscOf(folder, version) {
  return join(folder, "node_modules", `typescript-${version}`, "bin", "tsc")
}

function tarballOf(name, tarballs) {
  const start = `${name.replace(/^@/, "").replace("/", "-")}-`
  const found = tarballs.find(
    (tarball) =>
      /^\d/.test(tarball.split(/[\\/]/).at(-1).slice(start.length)) && tarball.split(/[\\/]/).at(-1).startsWith(start),
  )
  return `file:${found}`
}

function write(folder, name, text) {
  writeFileSync(join(folder, name), text)
}
