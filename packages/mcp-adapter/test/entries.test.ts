import { build, type Rolldown } from "vite"
import { describe, expect, it } from "vitest"

/** The names of the packages that an entry loads, as Node resolves them. */
async function packagesOf(entry: string): Promise<ReadonlySet<string>> {
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
    build: { ssr: true, write: false, rollupOptions: { input: "entry" } },
  })
  // `build` gives other shapes only for watching and for several inputs.
  const { output } = result as Rolldown.RolldownOutput
  const ids = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []))
  return new Set(ids.flatMap((id) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? []))
}

describe("what an entry loads", () => {
  it.each(["", "/fetch", "/http", "/stdio", "/in-memory"])(
    "is nothing of SDK v1, and no telemetry, for @x/mcp-adapter%s",
    async (entry) => {
      const packages = await packagesOf(`@x/mcp-adapter${entry}`)

      expect(packages).toContain("rxjs")
      expect(packages).not.toContain("@modelcontextprotocol/sdk")
      expect(packages).not.toContain("@opentelemetry/api")
    },
  )

  it("is the API of OpenTelemetry, and no SDK of any kind, for @x/mcp-adapter/otel", async () => {
    const packages = await packagesOf("@x/mcp-adapter/otel")

    expect([...packages].filter((name) => name.startsWith("@"))).toEqual(["@opentelemetry/api"])
  })

  it("is nothing of SDK v2 for @x/mcp-adapter/sdk-v1", async () => {
    const packages = await packagesOf("@x/mcp-adapter/sdk-v1")

    expect(packages).toContain("@modelcontextprotocol/sdk")
    expect(packages).not.toContain("@modelcontextprotocol/server")
  })
})
