// `pnpm rig template`: plays the quickstart, and creates a project of each form from packed tarballs in an empty folder. The project installs and passes
// its tests, the page's in a real browser; the test kit works with Jest and `node:test` too; the server starts, and keeps its
// client connected while an action is added.
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { bringChromium } from "../launch/bring-chromium.mjs"
import { root, run } from "../launch/workspace.mjs"
import { playQuickstart } from "./play-quickstart.mjs"

const scratch = mkdtempSync(join(tmpdir(), "template-"))
const tarballs = join(scratch, "tarballs")
const project = join(scratch, "my-app")
const page = join(scratch, "my-page")
const npmIn = (cwd, ...args) =>
  execFileSync("npm", args, { cwd, stdio: "inherit", shell: process.platform === "win32" })
// Resolved from a package that depends on it, because these scripts have no dependencies.
const { Client, StreamableHTTPClientTransport } = await import(
  createRequire(join(root, "packages", "testing", "package.json")).resolve("@modelcontextprotocol/client")
)

try {
  run(process.execPath, [join(root, "tools", "release", "pack.mjs"), tarballs])
  const tarball = readdirSync(tarballs).find((file) => file.startsWith("create-agentic-"))
  const command = join(scratch, "command")
  execFileSync("npm", ["install", "--prefix", command, "--no-audit", "--no-fund", join(tarballs, tarball)])
  const create = (...args) => {
    const main = join(command, "node_modules", "create-agentic", "dist", "main.js")
    execFileSync(process.execPath, [main, ...args, "--packages", tarballs], { stdio: "inherit" })
  }
  await playQuickstart(tarballs, join(scratch, "quickstart"))
  create(project)
  npmIn(project, "test")
  runOtherwise()
  await serves("start", async (client) => console.log(`npm start lists ${await names(client)}`))
  await serves("dev", addAnAction)
  await bringChromium()
  create(page, "--react")
  npmIn(page, "test")
  npmIn(page, "run", "build")
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** Runs the test kit under Jest and `node:test` in the project. */
function runOtherwise() {
  const test = join(project, "any-runner.test.mjs")
  cpSync(join(import.meta.dirname, "any-runner.test.mjs"), test)
  execFileSync(process.execPath, ["--test", test], { cwd: project, stdio: "inherit" })
  npmIn(project, "install", "--no-save", "--no-audit", "--no-fund", "--loglevel", "error", "jest@30.5.2")
  const jest = join(project, "node_modules", "jest", "bin", "jest.js")
  const args = ["--experimental-vm-modules", "--no-warnings", jest, "--testMatch", "**/any-runner.test.mjs"]
  execFileSync(process.execPath, args, { cwd: project, stdio: "inherit" })
  rmSync(test)
}

/** Starts a second dev server, which must refuse: two would restart each other's server and compete for its port. */
function runAgain() {
  const { status, stderr } = spawnSync("npm", ["run", "dev"], {
    cwd: project,
    encoding: "utf8",
    shell: process.platform === "win32",
  })
  if (status !== 1 || !stderr.includes("already runs in this folder"))
    throw new Error(`a second npm run dev: ${stderr}`)
}

/** Adds an action; the connected client is notified and calls it. */
async function addAnAction(client) {
  const told = new Promise((resolve) => {
    client.setNotificationHandler("notifications/tools/list_changed", async () => {
      if ((await names(client)).includes("count")) resolve()
    })
  })
  runAgain()
  await client.callTool({ name: "add", arguments: { text: "Buy tea" } })
  const file = join(project, "src", "notes.ts")
  const code = 'count: action({ description: "Count the notes", execute: () => ({ count: notes$.value.length }) }),'
  writeFileSync(file, readFileSync(file, "utf8").replace("    actions: {\n", `    actions: {\n      ${code}\n`))
  await told
  const { content } = await client.callTool({ name: "count" })
  console.log(`npm run dev kept its client, which called the new action: ${content[0].text.split("\n")[0]}`)
  if (!content[0].text.includes('"count":1')) throw new Error("the note written before the change is missing")
}

async function names(client) {
  return (await client.listTools()).tools.map(({ name }) => name).join(" ")
}

/** Starts a script of the project, connects a legacy client, which would notice a lost session, and ends both. */
async function serves(script, use) {
  const child = spawn("npm", ["run", script], {
    cwd: project,
    env: {
      ...process.env,
      PORT: script === "dev" ? String(await freePort()) : "0",
      STORE: join(scratch, "notes.json"),
    },
    stdio: ["ignore", "pipe", "inherit"],
    detached: process.platform !== "win32",
  })
  const ended = once(child, "exit")
  try {
    const client = new Client({ name: "newcomer", version: "1.0.0" })
    await client.connect(new StreamableHTTPClientTransport(new URL(await printedUrl(child.stdout))))
    await use(client)
    await client.close()
  } finally {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGINT")
    await ended
  }
}

/** A restarted server needs its former port. */
async function freePort() {
  const { createServer } = await import("node:net")
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address()
  server.close()
  await once(server, "close")
  return port
}

async function printedUrl(output) {
  const lines = createInterface({ input: output })
  for await (const line of lines) {
    const url = /https?:\/\/\S+\/mcp\b/.exec(line)?.[0]
    if (url === undefined) continue
    lines.on("line", () => {})
    output.resume()
    return url
  }
  throw new Error("the server ended without printing its URL")
}
