// `npm run dev`: compiles as you type, and starts the server again after each change. Clients keep their sessions.
import { spawn, spawnSync } from "node:child_process"

const run = (...args) => spawn(process.execPath, args, { stdio: "inherit" })
const tsc = "node_modules/typescript/bin/tsc"

spawnSync(process.execPath, [tsc], { stdio: "inherit" })
const running = [
  run(tsc, "--watch", "--preserveWatchOutput"),
  run("--watch", "--watch-preserve-output", "--enable-source-maps", "dist/main.js"),
]
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    for (const child of running) child.kill(signal)
  })
}
