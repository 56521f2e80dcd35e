import { join } from "node:path"
import { defineConfig } from "vitest/config"

const root = import.meta.dirname

/** Returns a project for a package or a rig. An absolute root lets it run from any folder; the condition resolves siblings to their sources. */
export const project = (name: string, folder: string) => ({
  test: {
    name,
    root: join(root, folder),
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "template/src/**/*.test.ts"],
    // Those have a configuration of their own: not every machine has a browser.
    exclude: ["**/node_modules/**", "**/*.browser.test.ts"],
    // Only for what would never end: property tests and child processes take their time on a busy machine.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A worker keeps the modules that it has loaded: to load them again for each file takes longer than most tests. So nothing
    // may be left over: a fixture's hooks belong to its tests (onTestFinished), and spies and globals are put back.
    isolate: false,
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
  },
  ssr: { resolve: { conditions: ["@x/source"] } },
  // Properties are tried with one seed for all.
  resolve: { alias: [{ find: /^fast-check$/, replacement: join(root, "tools/test/seeded-fast-check.mjs") }] },
})

export default defineConfig({
  test: {
    root,
    globalSetup: join(root, "tools/test/vitest-setup.mjs"),
    // Much of the time a test waits for a process of its own; Vitest's default leaves a core free for that.
    maxWorkers: "100%",
    projects: [
      project("base", "packages/base"),
      project("records", "packages/records"),
      project("records-libsql", "packages/records-libsql"),
      project("tool-schemas", "packages/tool-schemas"),
      project("agentic-service", "packages/agentic-service"),
      project("mcp-adapter", "packages/mcp-adapter"),
      project("chat-service", "packages/chat-service"),
      project("create-agentic", "packages/create-agentic"),
      project("mcp-upstream", "packages/mcp-upstream"),
      project("testing", "packages/testing"),
      project("live-view", "packages/live-view"),
      project("service-wire", "packages/service-wire"),
      project("page-bridge", "packages/page-bridge"),
      project("service-cli", "packages/service-cli"),
      project("webmcp-adapter", "packages/webmcp-adapter"),
      project("demo", "apps/demo"),
      project("chat", "apps/chat"),
      project("example-agents", "examples/agents"),
      project("client-tests", "apps/rigs/client-tests"),
      project("curl", "apps/rigs/curl"),
      project("mounting", "apps/rigs/mounting"),
      project("conformance", "apps/rigs/conformance"),
    ],
  },
})
