import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import ts from "typescript"
import { onTestFinished } from "vitest"

const template = join(import.meta.dirname, "..", "template")

/** Creates a compiled project from the template. It stays inside this package, where imports resolve. */
export function makeProject(): string {
  const folder = mkdtempSync(join(import.meta.dirname, "..", ".project-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, "node_modules"))
  cpSync(join(template, "dev.mjs"), join(folder, "dev.mjs"))
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }')
  mkdirSync(join(folder, "dist"))
  for (const file of readdirSync(join(template, "src"))) {
    if (file.endsWith(".test.ts")) continue
    const source = readFileSync(join(template, "src", file), "utf8")
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    })
    writeFileSync(join(folder, "dist", file.replace(/ts$/, "js")), outputText)
  }
  return folder
}

/** How to start a project's server. */
export interface ServerOptions {
  /** A shell command to run before, such as a limit. */
  readonly before?: string
  /** Further environment variables. */
  readonly env?: Readonly<Record<string, string>>
}

/** Starts a project's server on a free port. The test's end stops it at the latest. */
export function startServer(folder: string, { before = "true", env = {} }: ServerOptions = {}) {
  const child = spawn("sh", ["-c", `${before}; exec "$0" "$@"`, process.execPath, "dist/main.js"], {
    cwd: folder,
    env: { ...process.env, PORT: "0", ...env },
  })
  return follow(child)
}

/** Starts a project's command. The test's end stops it at the latest. */
export function startCommand(folder: string, ...args: readonly string[]) {
  // A separate process group, so that its children can be killed, too.
  return follow(spawn(process.execPath, args, { cwd: folder, detached: true }))
}

/** A project's process with its output. */
export interface Started {
  /** The process. */
  readonly child: ChildProcess
  /** Kills the process, including a command's children. */
  kill(): void
  /** Returns everything it has written. */
  said(): string
  /** Resolves with the exit code and the signal once it has ended. */
  readonly ended: Promise<unknown[]>
  /** Resolves with the pattern's first group once the output matches. Rejects if the process ends before. */
  says(pattern: RegExp): Promise<string>
  /** Connects a client once the server listens. */
  connect(): Promise<Client>
}

function follow(child: ChildProcess): Started {
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    } catch {
      child.kill("SIGKILL")
    }
  }
  onTestFinished(kill)
  let said = ""
  const heard = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => {
      said += text
      for (const look of heard) look()
    })
  }
  const ended = once(child, "close")
  const says = (pattern: RegExp): Promise<string> => {
    const found = new Promise<string>((resolve) => {
      const look = (): void => {
        const [, part] = pattern.exec(said) ?? []
        if (part !== undefined) resolve(part)
      }
      heard.add(look)
      look()
    })
    const over = ended.then(() => Promise.reject(new Error(`it ended without printing ${pattern}: ${said}`)))
    return Promise.race([found, over])
  }
  return {
    child,
    kill,
    said: () => said,
    ended,
    says,
    async connect() {
      const client = new Client({ name: "test", version: "0.0.0" })
      await client.connect(new StreamableHTTPClientTransport(new URL(await says(/served at (http:\S+)/))))
      return client
    },
  }
}
