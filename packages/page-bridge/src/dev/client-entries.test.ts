import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { writeEntry } from "./client-entries.js"

const server = { name: "app", url: "http://localhost:5173/__mcp" }

function makeProject(): string {
  const root = mkdtempSync(join(tmpdir(), "entries-"))
  onTestFinished(() => rmSync(root, { recursive: true }))
  return root
}

it("writes an entry in each client's format, and nothing if it is up to date", () => {
  const root = makeProject()

  const first = writeEntry(root, ".cursor/mcp.json", server)
  const second = writeEntry(root, ".cursor/mcp.json", server)

  expect(JSON.parse(readFileSync(join(root, ".cursor/mcp.json"), "utf8"))).toEqual({
    mcpServers: { app: { url: server.url } },
  })
  expect([first, second]).toEqual(['wrote "app" into .cursor/mcp.json', undefined])
})

it("leaves a file unchanged that it cannot parse, and says what to add", () => {
  const root = makeProject()
  const commented = '// mine\n{ "mcpServers": {} }'
  writeFileSync(join(root, ".mcp.json"), commented)

  const said = writeEntry(root, ".mcp.json", server)

  expect(readFileSync(join(root, ".mcp.json"), "utf8")).toBe(commented)
  expect(said).toContain('add {"app":{"type":"http","url":"http://localhost:5173/__mcp"}} under "mcpServers"')
})

it.each([".mcp.json", ".cursor/mcp.json"] as const)("says why %s cannot be written, and what to add", (file) => {
  const root = makeProject()
  // Even root cannot replace a folder of that name, or write below a file.
  if (file === ".mcp.json") mkdirSync(join(root, file))
  else writeFileSync(join(root, ".cursor"), "")

  const said = writeEntry(root, file, server)

  expect(said).toMatch(/mcp\.json could not be written \(E[A-Z]+: .+\): add \{"app":.+\} under "mcpServers"$/)
})

it("loses nothing of a file if the disk is full", () => {
  const root = makeProject()
  const before = JSON.stringify({ mcpServers: { other: { url: "http://other" } } })
  writeFileSync(join(root, ".mcp.json"), before)
  const code = `import { writeEntry } from ${JSON.stringify(import.meta.resolve("../../dist/dev/client-entries.js"))}
    console.log(writeEntry(${JSON.stringify(root)}, ".mcp.json", ${JSON.stringify(server)}))`
  const stopper = new URL("../../../mcp-adapter/test/support/stop-at-step.mjs", import.meta.url).href

  const { stdout } = spawnSync(process.execPath, ["--import", stopper, "--input-type=module", "--eval", code], {
    encoding: "utf8",
    env: { ...process.env, STOP_IN: root, STOP_AT: "2", STOP_HOW: "full" },
  })

  expect(stdout).toContain(".mcp.json could not be written (ENOSPC: no space left on device, write): add")
  expect(readFileSync(join(root, ".mcp.json"), "utf8")).toBe(before)
})
