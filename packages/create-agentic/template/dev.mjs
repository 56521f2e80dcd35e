// `npm run dev`: compiles as you type, and starts the server again after each change. Clients keep their sessions.
import { spawn, spawnSync } from "node:child_process"
import { createInterface } from "node:readline"

const run = (...args) => spawn(process.execPath, args, { stdio: ["inherit", "pipe", "inherit"] })
const tsc = "node_modules/typescript/bin/tsc"

spawnSync(process.execPath, [tsc], { stdio: "inherit" })
const running = [
  run(tsc, "--watch", "--preserveWatchOutput"),
  run("--watch", "--watch-preserve-output", "--enable-source-maps", "dist/main.js"),
]
for (const child of running) {
  createInterface({ input: child.stdout }).on("line", (line) => {
    // Of a compiler that finds nothing, nothing is told: the last thing on the screen is where the server is.
    if (!/^$|Starting (incremental )?compilation|File change detected|Found 0 errors/.test(line)) console.log(line)
  })
}
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal)
  })
}
