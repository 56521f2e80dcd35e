import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { installShells } from "./install-shells.js"
import { startOnTerminal } from "./start.js"

const folder = mkdtempSync(join(tmpdir(), "shells-"))
const env = { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"]}`, HOME: folder }

beforeAll(() => {
  installShells()
  for (const agent of ["clerk", "scribe"]) {
    const file = join(import.meta.dirname, "..", "agents", `${agent}.mjs`)
    writeFileSync(join(folder, agent), `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`)
    chmodSync(join(folder, agent), 0o755)
  }
})

afterAll(() => rmSync(folder, { recursive: true }))

const PROMPT = /[#$%>]\s*$/

/** The command that starts each shell, with the completion of two agents, to prove that both work together. */
const shells = [
  ["bash", "bash --norc -i", 'eval "$(clerk --completion bash)"; eval "$(scribe --completion bash)"'],
  [
    "zsh",
    "zsh -f -i",
    'autoload -Uz compinit; compinit -u; eval "$(clerk --completion zsh)"; eval "$(scribe --completion zsh)"',
  ],
  ["fish", "fish --no-config -i", "clerk --completion fish | source; scribe --completion fish | source"],
] as const

describe.each(shells)("in %s", (_name, command, setUp) => {
  /** Opens a shell that completes both agents. */
  const open = async () => {
    const shell = startOnTerminal(command, env)
    await shell.says(PROMPT)
    // The quotes make the echoed input differ from the output.
    shell.type(`${setUp}; echo rea""dy\n`)
    // Input typed before the first prompt may be lost.
    await shell.says(/ready\r?\n[\s\S]*[#$%>]\s*$/)
    return shell
  }

  it("two agents are completed: actions, flags and choices", async () => {
    const shell = await open()

    shell.type("clerk --to\t")
    await shell.says(/clerk --tone /)
    shell.type("lo\t")
    await shell.says(/--tone loud /)
    shell.type("--context yes\n")
    await shell.says(/^YES!/m)
    shell.type("scribe --ink bl")
    shell.type("u\t")
    await shell.says(/--ink blue /)
    shell.type("--context it\n")
    await shell.says(/^it, in blue/m)
    shell.type("clerk del\t")
    await shell.says(/clerk delegate /)
    shell.type("\n")
    await shell.says(/^this, in black/m)
    shell.type("exit\n")

    expect((await shell.ended).stdout).not.toMatch(/readonly|error|not found/i)
  })

  it("a value is completed after an equals sign", async () => {
    const shell = await open()

    shell.type("clerk --tone=lo\t")
    await shell.says(/--tone=loud/)
    shell.type(" --context yes\n")
    await shell.says(/^YES!/m)
    shell.type("exit\n")

    expect((await shell.ended).code).toBe(0)
  })

  it("completion does not run the typed text", async () => {
    const shell = await open()

    shell.type(`clerk '$(touch ${folder}/ran)' --to\t`)
    await shell.says(/--tone /)

    expect(existsSync(join(folder, "ran"))).toBe(false)
  })
})
