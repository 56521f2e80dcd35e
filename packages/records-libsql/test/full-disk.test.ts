import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { expect, it, onTestFinished } from "vitest"
import { createLibsqlRecords } from "../src/index.js"

it("loses no confirmed record when its disk is full, names the reason, and goes on once there is space", async () => {
  const folder = mkdtempSync(join(tmpdir(), "records-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, "records.db")
  // Its files may reach 256 kB: `sh` counts in blocks of 512 bytes.
  const limited = 'ulimit -f 512; exec "$0" "$@"'
  const writer = spawn("sh", [
    "-c",
    limited,
    process.execPath,
    fileURLToPath(new URL("writer.mjs", import.meta.url)),
    file,
  ])
  const [stdout, stderr, [code]] = await Promise.all([text(writer.stdout), text(writer.stderr), once(writer, "close")])
  const confirmed = stdout.trimEnd().split("\n")

  expect(code).toBe(1)
  expect(stderr).toContain(`RecordError: the record store "${file}" cannot be used: `)
  expect(stderr).toContain("unavailable")
  expect(stderr).not.toMatch(/rollback/i)
  expect(confirmed.length).toBeGreaterThan(2)

  const store = createLibsqlRecords({ file })
  onTestFinished(store.close)
  const marks = store.collection<number>({ name: "marks", ttlMs: 60_000, full: "refuse" })
  const kept = await marks.list()
  expect(kept.map(({ key }) => key)).toEqual(expect.arrayContaining(confirmed))
  expect(kept.every(({ key, value }) => key === `k${value}`)).toBe(true)
  await marks.create("after", 1)
  expect(await marks.read("after")).toMatchObject({ value: 1 })
})
