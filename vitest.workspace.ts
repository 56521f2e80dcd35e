import { join } from "node:path"
import { defineConfig } from "vitest/config"

/** One project per package: tests run on the siblings' sources, with nothing built. */
const project = (name: string, folder: string) => ({
  test: {
    name,
    root: join(import.meta.dirname, folder),
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    typecheck: { enabled: false },
  },
  ssr: { resolve: { conditions: ["@x/source"] } },
})

export default defineConfig({
  test: {
    projects: [
      project("agentic-service", "packages/agentic-service"),
      project("mcp-adapter", "packages/mcp-adapter"),
      project("demo", "apps/demo"),
      project("client-tests", "apps/client-tests"),
    ],
  },
})
