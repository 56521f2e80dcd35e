import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { bun, workerd } from "@x/runtimes"
import { build } from "vite"
import { freePort, untilAlive } from "./check-alive.js"
import type { Leg } from "./serve-http-leg.js"
import { CACHE } from "./tools.js"

const HOSTS = join(import.meta.dirname, "..", "hosts")

/** Serves the fixtures with `fetch` on Bun. `close` rejects if anything is left open. */
export async function serveBunLeg(): Promise<Leg> {
  const child = spawn(bun(), [join(HOSTS, "on-bun.js")], { stdio: ["ignore", "pipe", "inherit"] })
  const [port] = await once(createInterface(child.stdout), "line")
  return {
    url: `http://localhost:${port}/mcp`,
    async close() {
      const code = await end(child)
      if (code !== 0) throw new Error(`Bun ended with ${code}, expected 0`)
    },
  }
}

/** Serves the fixtures with `fetch` in a durable object on workerd, which cannot report open resources. */
export async function serveWorkerdLeg(): Promise<Leg> {
  const port = await freePort()
  const folder = join(CACHE, "workerd")
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "worker.js"), await bundle(join(HOSTS, "on-workerd.js")))
  writeFileSync(join(folder, "config.capnp"), toConfig(port))
  const child = spawn(workerd(), ["serve", join(folder, "config.capnp")], { stdio: "inherit" })
  const url = `http://localhost:${port}/mcp`
  await untilAlive(url)
  return { url, close: async () => void (await end(child)) }
}

async function end(child: ChildProcess): Promise<unknown> {
  const ended = once(child, "exit")
  child.kill("SIGTERM")
  const [code] = await ended
  return code
}

/** Bundles a module with its imports, except Node's modules that the host has. */
async function bundle(entry: string): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true, resolve: { conditions: ["workerd", "worker", "import", "default"] } },
    build: { write: false, ssr: entry, target: "es2022", rollupOptions: { output: { codeSplitting: false } } },
  })
  const [first] = [result].flat()
  if (first === undefined || !("output" in first)) throw new Error("vite returned nothing, expected a bundle")
  const [{ code }] = first.output
  return code
}

function toConfig(port: number): string {
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-07-01",
  compatibilityFlags = ["nodejs_compat"],
  durableObjectNamespaces = [(className = "Fixture", uniqueKey = "fixture", preventEviction = true)],
  durableObjectStorage = (inMemory = void),
  bindings = [(name = "FIXTURE", durableObjectNamespace = "Fixture")],
);
`
}
