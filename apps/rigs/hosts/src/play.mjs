import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createJournal } from "../../clients/src/create-journal.mjs"
import { tapHttp } from "../../clients/src/tap-http.mjs"
import { serveApp } from "./app.mjs"
import { createScript } from "./script.mjs"
import { serveModel } from "./serve-model.mjs"

/** Milliseconds that a host may take for the whole script. */
const PATIENCE = 180_000

/**
 * Plays a script with one host and exposure. Resolves to the host's output and everything that model and server observed.
 *
 * @param script - The model's script, and the app's further actions. Default: results of every kind.
 */
export async function play(host, exposure, { node, script = createScript(exposure) }) {
  const home = mkdtempSync(join(tmpdir(), "host-"))
  const { seen, next, actions } = script
  const app = await serveApp({ exposure, actions })
  const journal = createJournal()
  const tap = await tapHttp(app.url, journal)
  const model = await serveModel(next)
  try {
    const { args, env, files, setUp } = host.start({ model: model.url, server: tap.target.url, home })
    for (const [path, contents] of Object.entries(files)) write(join(home, path), contents)
    const run = (with_) => runHost(host, { node, home, env, args: with_ })
    if (setUp) await run(setUp)
    const printed = await run(args)
    return { ...seen, erased: app.erased(), wire: journal.entries, printed }
  } finally {
    model.close()
    tap.close()
    await app.close()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  }
}

function write(path, contents) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, typeof contents === "string" ? contents : JSON.stringify(contents, undefined, 2))
}

async function runHost({ program }, { node, home, env, args }) {
  const cwd = join(home, "work")
  mkdirSync(cwd, { recursive: true })
  const command = program.command === "node" ? node : program.command
  // Passes on PATH only, so that this machine's settings have no effect. Each host has its own home folder.
  const clean = {
    PATH: `${dirname(node)}:${process.env.PATH}`,
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    CI: "1",
  }
  const child = spawn(command, [...program.args, ...args], {
    cwd,
    env: { ...clean, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PATIENCE,
    killSignal: "SIGKILL",
  })
  let printed = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (printed += data))
  const [code, signal] = await once(child, "close")
  return `${printed}\n(ended with ${code ?? signal})`
}
