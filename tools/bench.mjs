// `pnpm bench [name] [arguments]`: runs benchmarks. Without a name it measures the server beside its peers, the gateway's hop
// and a call through a page. `pnpm bench list` lists the names. Any other name selects rows of the server's benchmark.
import { join } from "node:path"
import { installOnce } from "./launch/install-once.mjs"
import { buildPages } from "./launch/pages.mjs"
import { build, compiledFolders, pnpm, root, run, startedByPnpm } from "./launch/workspace.mjs"

const adapter = (file, ...flags) => [...flags, `packages/mcp-adapter/bench/${file}.mjs`]
const BENCHES = {
  server: { says: "requests, streams, sessions and a start beside other servers; --check fails on a worse ratio" },
  hop: { says: "a call through the gateway beside a direct one", runs: [["packages/mcp-upstream/bench/hop.mjs"]] },
  pages: {
    says: "a call through a page, alone and beside 1,000 pages",
    runs: [["packages/page-bridge/bench/pages.mjs"]],
  },
  changes: {
    says: "the cost of a change in a small and in a large graph",
    runs: [
      ...["toggle", "members", "publishing", "call"].map((file) => adapter(file)),
      ["packages/tool-schemas/bench/publish.mjs"],
    ],
  },
  links: {
    says: "adding, removing and replacing one linked service among 100 and among 2,000",
    runs: [adapter("links")],
  },
  principals: {
    says: "heap, first list and a change of 1,000 principals of one service, beside an adapter for each",
    runs: [adapter("principals", "--expose-gc")],
  },
  browser: {
    says: "the live view in a real Chromium under 5,000 tools and 1,000 events a second",
    pages: ["packages/live-view"],
    runs: [["packages/live-view/bench/flood.mjs"]],
  },
  hostile: { says: "the cost of each hostile request compared with a normal one", runs: [adapter("hostile")] },
  reach: {
    says: "our files that one call and one emission run through, and the switches between them",
    runs: [adapter("reach", "--import", "./packages/mcp-adapter/bench/by-module.mjs")],
  },
  soak: {
    says: "the heap while 10,000 clients connect and disconnect, and the size of idle sessions and streams",
    runs: ["soak", "soak-cards", "soak-held"].map((file) => adapter(file, "--expose-gc")),
  },
  tasks: {
    says: "a call that is handed over, and tasks/get, beside a plain call",
    runs: [adapter("tasks")],
  },
  tokens: { says: "the tokens that a model reads, per exposure and task", runs: [["apps/demo/bench/tokens.mjs"]] },
  types: { says: "the compile time of a hundred actions", runs: [["packages/agentic-service/bench/types.mjs"]] },
}

const [name, ...args] = process.argv.slice(2)
if (name === "list") {
  for (const [each, { says }] of Object.entries(BENCHES)) console.log(`  ${each.padEnd(10)} ${says}`)
} else if (name !== undefined && Object.hasOwn(BENCHES, name)) measure(name, args)
else if (name !== undefined) measure("server", [name, ...args])
else for (const each of ["server", "hop", "pages"]) measure(each, [])

function measure(each, options) {
  if (!startedByPnpm) pnpm(["install", "--frozen-lockfile"])
  if (!build(compiledFolders("packages", "apps", "apps/rigs"))) process.exit(1)
  if (each === "server") return measureServer(options)
  const { runs, pages } = BENCHES[each]
  if (pages !== undefined && !buildPages(pages)) process.exit(1)
  for (const bench of runs) run(process.execPath, [...bench, ...options], { stdio: "inherit" })
}

function measureServer(options) {
  const rig = join(root, "apps", "rigs", "bench")
  installOnce(join(rig, "peers"), "the servers to measure beside (about 80 MB, once)")
  run(process.execPath, [join(rig, "src", "main.mjs"), ...options], { stdio: "inherit" })
}
