// `npm run dev`: compiles as you type, and starts the server again after each change that compiles. Clients keep their sessions.
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"

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
