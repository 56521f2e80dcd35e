import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished } from "vitest"
import { createLibsqlRecords } from "../src/index.js"

it("loses no confirmed record of a process that is killed while it writes", async () => {
  const folder = mkdtempSync(join(tmpdir(), "records-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, "records.db")
  const confirmed: string[] = []
  for (const count of [1, 20]) {
    const before = confirmed.length
    const writer = spawn(process.execPath, [fileURLToPath(new URL("writer.mjs", import.meta.url)), file])
    const ended = once(writer, "close")
    for await (const line of createInterface(writer.stdout)) {
      confirmed.push(line)
      if (confirmed.length === before + count) writer.kill("SIGKILL")
    }
    await ended
  }
  const store = createLibsqlRecords({ file })
  onTestFinished(store.close)
  const kept = await store.collection<number>({ name: "marks", ttlMs: 60_000, full: "refuse" }).list()

  expect(kept.map(({ key }) => key)).toEqual(expect.arrayContaining(confirmed))
  expect(kept.every(({ key, value }) => key === `k${value}`)).toBe(true)
})
