import { spawnSync } from "node:child_process"
import { build, type Rolldown } from "vite"
import { describe, expect, it } from "vitest"

/** Prints which of these were used, at exit. */
const WATCH = `
  const used = []
  for (const [owner, name] of [[crypto, "randomUUID"], [crypto, "getRandomValues"], [globalThis, "setTimeout"],
    [globalThis, "setInterval"], [globalThis, "setImmediate"], [globalThis, "AbortController"]]) {
    owner[name] = new Proxy(owner[name], {
      apply: (target, self, given) => (used.push(name), Reflect.apply(target, self, given)),
      construct: (target, given) => (used.push(name), Reflect.construct(target, given)),
    })
  }
  process.on("exit", () => process.stdout.write("used: " + used.join()))
`

/** Returns the names of packages that an entry loads, as Node resolves them. */
async function packagesOf(entry: string): Promise<ReadonlySet<string>> {
  const ids = (await bundle(entry)).flatMap((part) => (part.type === "chunk" ? part.moduleIds : []))
  return new Set(ids.flatMap((id) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []))
}

/** Bundles an entry, including everything it loads. */
async function bundle(entry: string): Promise<Rolldown.RolldownOutput["output"][number][]> {
  const conditions = ["@x/source", "node", "import", "module", "default"]
  const result = await build({
    configFile: false,
    logLevel: "silent",
    root: import.meta.dirname,
    plugins: [
      {
        name: "entry",
        load: (id) => (id === "\0entry" ? `export * from "${entry}"` : undefined),
        resolveId: (id) => (id === "entry" ? "\0entry" : undefined),
      },
    ],
    ssr: { noExternal: true, resolve: { conditions } },
    build: { ssr: true, write: false, rollupOptions: { input: "entry", output: { codeSplitting: false } } },
  })
  // `build` returns other shapes only for watching and for several inputs.
  const { output } = result as Rolldown.RolldownOutput
  return output
}

describe("the modules of an entry", () => {
  it.each(["", "/fetch", "/http", "/stdio", "/in-memory"])(
    "is nothing of SDK v1, and no telemetry, for @x/mcp-adapter%s",
    async (entry) => {
      const packages = await packagesOf(`@x/mcp-adapter${entry}`)

      expect(packages).toContain("rxjs")
      expect(packages).not.toContain("@modelcontextprotocol/sdk")
      expect(packages).not.toContain("@opentelemetry/api")
    },
  )

  it("are OpenTelemetry's API and no SDK, for @x/mcp-adapter/otel", async () => {
    const packages = await packagesOf("@x/mcp-adapter/otel")

    expect([...packages].filter((name) => name.startsWith("@"))).toEqual(["@opentelemetry/api"])
  })

  it("create no random values, timers or signals while loading, which workers forbid, for @x/mcp-adapter/fetch", async () => {
    const [first] = await bundle("@x/mcp-adapter/fetch")
    const code = first?.type === "chunk" ? first.code : ""
    const args = ["--import", `data:text/javascript,${encodeURIComponent(WATCH)}`, "--input-type=module", "-"]

    const { stdout, status } = spawnSync(process.execPath, args, { input: code, encoding: "utf8" })

    expect([status, stdout]).toEqual([0, "used: "])
  })

  it("exclude SDK v2 for @x/mcp-adapter/sdk-v1", async () => {
    const packages = await packagesOf("@x/mcp-adapter/sdk-v1")

    expect(packages).toContain("@modelcontextprotocol/sdk")
    expect(packages).not.toContain("@modelcontextprotocol/server")
  })
})
