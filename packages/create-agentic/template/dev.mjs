// `npm run dev`: compiles as you type, and starts the server again after each change that compiles. Clients keep their sessions.
import { spawn } from "node:child_process"
import { once } from "node:events"
import { rmSync, statSync } from "node:fs"
import { connect, createServer } from "node:net"
import { createInterface } from "node:readline"

// Two in one folder would start each other's server again with every change, and take its port in turns. The socket that tells
// is in the project, where only those who may change it can put something; its path is relative, because long ones are refused.
const place =
  process.platform === "win32"
    ? `\\\\.\\pipe\\npm-run-dev-${process.cwd().replace(/\W/g, "-")}`
    : "node_modules/.npm-run-dev"
if (!(await takePlace()) && !(await answers())) {
  // Left behind by one that was killed.
  if (statSync(place, { throwIfNoEntry: false })?.isSocket()) rmSync(place)
  if (!(await takePlace())) leave(`${place} is in the way of npm run dev: remove it`)
}

/** Listens there; `false` if something is there already. Where no sockets can be made, nothing is guarded. */
async function takePlace() {
  const lock = createServer((asked) => asked.on("error", () => {}).end(String(process.pid)))
  const taken = await once(lock.listen(place), "listening").catch((error) => error.code !== "EADDRINUSE")
  lock.on("error", () => {}).unref()
  return taken !== false
}

/** Whether another one listens there: then this one ends, naming it by the number it answers, if it does within a second. */
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
  return leave(`npm run dev runs in this folder already, and takes up what you change: ${other}.`)
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
