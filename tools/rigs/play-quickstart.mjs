import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { root } from "../launch/workspace.mjs"

/** The commands whose process goes on while the reader does. */
const SERVES = /^node todo\.js$/

/**
 * Does what docs/quickstart.md says, in an empty folder: runs its commands, saves its files and compares what is printed with
 * the page. The packages come from tarballs, as the page says for those who have them.
 *
 * @throws Error that names the command, if one fails or prints something else.
 */
export async function playQuickstart(tarballs, folder) {
  const began = Date.now()
  const reader = { cwd: folder, tarballs, serving: [] }
  mkdirSync(folder, { recursive: true })
  try {
    for (const { kind, text, output } of readSteps()) {
      if (kind !== "sh") {
        save(reader, text)
        continue
      }
      const commands = text.trim().split("\n")
      for (const command of commands) await type(reader, command, command === commands.at(-1) ? output : undefined)
    }
  } finally {
    for (const child of reader.serving) await end(child)
  }
  console.log(`the quickstart took ${Math.round((Date.now() - began) / 1_000)} s, without the reading`)
}

function save({ cwd }, text) {
  const [, name] = /^\/\/ (\S+)$/m.exec(text)
  writeFileSync(join(cwd, name), text)
}

async function type(reader, command, expected) {
  const { cwd, tarballs, serving } = reader
  if (command.startsWith("cd ")) reader.cwd = join(cwd, command.slice(3))
  else if (SERVES.test(command)) serving.push(await serve(command, { cwd, expected }))
  else compare(command, runCommand(withTarballs(command, tarballs), cwd), expected)
}

async function end(child) {
  child.kill("SIGTERM")
  if (child.exitCode === null) await once(child, "exit")
}

/** Returns the page's commands and files in order, each command with its expected output. */
function readSteps() {
  const page = readFileSync(join(root, "docs", "quickstart.md"), "utf8")
  const blocks = [...page.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm)].map(([, kind, text]) => ({ kind, text }))
  const steps = blocks.filter(({ kind }) => ["sh", "ts", "typescript"].includes(kind))
  return steps.map((step) => {
    const next = blocks[blocks.indexOf(step) + 1]
    return { ...step, output: next?.kind === "text output" ? next.text.trim() : undefined }
  })
}

/** Replaces the names of our packages by the tarballs, all at once because they depend on each other. */
function withTarballs(command, tarballs) {
  if (!/ @x\//.test(command)) return command
  const files = readdirSync(tarballs).filter((file) => file.startsWith("x-"))
  return command.replace(/( @x\/\S+)+/, ` ${files.map((file) => join(tarballs, file)).join(" ")}`)
}

function runCommand(command, cwd) {
  console.log(`> ${command.length > 100 ? `${command.slice(0, 99)}…` : command}`)
  const { status, stdout, stderr } = spawnSync(command, { cwd, shell: true, encoding: "utf8" })
  if (status !== 0) throw new Error(`quickstart: "${command}" ended with ${status}\n${stdout}${stderr}`)
  return stdout.trim()
}

/** Starts the page's server, and waits for the line that the page shows. */
async function serve(command, { cwd, expected }) {
  const [program, ...args] = command.split(" ")
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "inherit"] })
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), once(child, "exit")])
  compare(command, String(line), expected)
  return child
}

function compare(command, printed, expected) {
  if (expected !== undefined && printed !== expected)
    throw new Error(`quickstart: "${command}" printed\n${printed}\ninstead of\n${expected}`)
}
