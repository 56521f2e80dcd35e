// `npm run dev`: compiles as you type, and starts the server again after each change that compiles. Clients keep their sessions.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { rmSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"

// Two in one folder would start each other's server again with every change, and take its port in turns.
const name = `npm-run-dev-${createHash("sha256").update(process.cwd()).digest("hex").slice(0, 16)}`
const place = process.platform === "win32" ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name)
const other = await new Promise((resolve) => {
  const asked = connect(place).setEncoding("utf8").on("data", resolve)
  asked.on("error", () => resolve(undefined)).on("end", () => resolve(undefined))
})
if (other !== undefined) {
  console.error(`npm run dev runs in this folder already, and takes up what you change: end process ${other} first.`)
  process.exit(1)
}
// What somebody left who was killed.
if (process.platform !== "win32") rmSync(place, { force: true })
const lock = createServer((asked) => asked.end(String(process.pid)))
lock
  .on("error", () => {})
  .listen(place)
  .unref()

const children = []
const run = (args, onLine) => {
  const child = spawn(process.execPath, args, { stdio: ["inherit", "pipe", "inherit"] })
  createInterface({ input: child.stdout }).on("line", onLine)
  children.push(child)
}

let serving = false
run(["node_modules/typescript/bin/tsc", "--watch", "--preserveWatchOutput"], (line) => {
  // Of a compiler that finds nothing, nothing is told: the last thing on the screen is where the server is.
  if (!/^$|Starting (incremental )?compilation|File change detected|Found 0 errors/.test(line)) console.log(line)
  if (serving || !line.includes("Found 0 errors")) return
  serving = true
  run(["--watch", "--watch-preserve-output", "--enable-source-maps", "dist/main.js"], console.log)
})
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    for (const child of children) child.kill(signal)
  })
}
// A terminated npm ends its shell but not what the shell started: leave when the parent is gone.
const parent = process.ppid
setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGTERM"), 500).unref()
