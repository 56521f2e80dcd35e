// `npm run dev` compiles as you type, and restarts the server after each successful compilation. Clients keep their sessions.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { rmSync, statSync } from "node:fs"
import { connect, createServer } from "node:net"
import { createInterface } from "node:readline"

// Two instances in one folder would restart each other's server and compete for its port. A socket in the project prevents
// that: only people who can edit the project can create it. Its path is relative, because long socket paths are rejected.
const place =
  process.platform === "win32"
    ? `\\\\.\\pipe\\npm-run-dev-${process.cwd().replace(/\W/g, "-")}`
    : "node_modules/.npm-run-dev"
if (!(await takePlace()) && !(await answers())) {
  // Left behind by a killed process.
  if (statSync(place, { throwIfNoEntry: false })?.isSocket()) rmSync(place)
  if (!(await takePlace())) leave(`${place} is in the way of npm run dev: remove it`)
}

/** Listens on the socket. Returns `false` if it exists already. Without support for sockets, it guards nothing. */
async function takePlace() {
  const lock = createServer((asked) => asked.on("error", () => {}).end(String(process.pid)))
  const taken = await once(lock.listen(place), "listening").catch((error) => error.code !== "EADDRINUSE")
  lock.on("error", () => {}).unref()
  return taken !== false
}

/** If another instance is listening, exits with a message that contains its process id, if it sends one within a second. */
async function answers() {
  const asked = connect(place).setEncoding("utf8")
  if (!(await once(asked, "connect").then(Boolean, () => false))) return false
  let text = ""
  asked.on("data", (part) => {
    text += part
    if (text.length > 10) asked.destroy()
  })
  const late = setTimeout(() => asked.destroy(), 1_000)
  await once(
    asked.on("error", () => {}),
    "close",
  )
  clearTimeout(late)
  const other = /^\d{1,10}$/.test(text) ? `end process ${text} first` : "end it first"
  return leave(`npm run dev already runs in this folder and applies your changes: ${other}.`)
}

function leave(why) {
  console.error(why)
  return process.exit(1)
}

const children = []
const run = (args, onLine) => {
  const child = spawn(process.execPath, args, { stdio: ["inherit", "pipe", "inherit"] })
  createInterface({ input: child.stdout }).on("line", onLine)
  children.push(child)
}

let serving = false
run(["node_modules/typescript/bin/tsc", "--watch", "--preserveWatchOutput"], (line) => {
  // Hides the compiler's progress messages, so that the server's URL stays the last line on the screen.
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
// A terminated npm ends its shell, but not the shell's children: exit when the parent is gone.
const parent = process.ppid
setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGTERM"), 500).unref()
