import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"
import { cases } from "./cases.mjs"
import { listPublicEnds } from "./public-ends.js"

const program = fileURLToPath(new URL("play-case.mjs", import.meta.url))

/** Plays a case in its own process. Resolves once the process has ended by itself. */
async function play(name: string) {
  const child = spawn(process.execPath, [program, name], { stdio: ["pipe", "pipe", "pipe"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  const said = { stdout: "", stderr: "" }
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      said[stream] += text
    })
  const [code] = await once(child, "close")
  const lines: readonly { readonly moment: string; readonly ms?: number; readonly at?: number }[] = said.stdout
    .split("\n")
    .filter((line) => line.startsWith('{"moment"'))
    .map((line) => JSON.parse(line))
  return { code, stderr: said.stderr, lines, ended: Date.now() }
}

it("plays everything public that has a close", () => {
  expect(Object.keys(cases).sort()).toEqual(listPublicEnds())
})

describe("closing", () => {
  it.each(Object.keys(cases))("%s ends what it opened, at any moment, within a second", async (name) => {
    const { code, stderr, lines, ended } = await play(name)

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    expect(lines.map(({ moment }) => moment)).toHaveLength(10)
    expect(lines.filter(({ ms = 0 }) => ms > 1_000)).toEqual([])
    // No socket or timer keeps the process alive.
    expect(ended - (lines.at(-1)?.at ?? 0)).toBeLessThan(1_000)
  })
})
