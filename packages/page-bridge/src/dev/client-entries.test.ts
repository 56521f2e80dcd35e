import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
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

it("writes an entry as each client reads it, and nothing where it is there", () => {
  const root = makeProject()

  const first = writeEntry(root, ".cursor/mcp.json", server)
  const second = writeEntry(root, ".cursor/mcp.json", server)

  expect(JSON.parse(readFileSync(join(root, ".cursor/mcp.json"), "utf8"))).toEqual({
    mcpServers: { app: { url: server.url } },
  })
  expect([first, second]).toEqual(['wrote "app" into .cursor/mcp.json', undefined])
})

it("leaves a file alone that it cannot read, and says what to add", () => {
  const root = makeProject()
  const commented = '// mine\n{ "mcpServers": {} }'
  writeFileSync(join(root, ".mcp.json"), commented)

  const said = writeEntry(root, ".mcp.json", server)

  expect(readFileSync(join(root, ".mcp.json"), "utf8")).toBe(commented)
  expect(said).toContain('add {"app":{"type":"http","url":"http://localhost:5173/__mcp"}} under "mcpServers"')
})
