import { fork } from "node:child_process"
import { join } from "node:path"

/**
 * Starts a server in a process of its own.
 *
 * @param stdio - What its standard streams are, but the channel it is asked over.
 */
export async function startServer(file, options = {}, stdio = ["ignore", "ignore", "inherit"]) {
  const child = fork(join(import.meta.dirname, "serve.mjs"), [file, JSON.stringify(options)], {
    execArgv: ["--expose-gc", ...(options.node ?? [])],
    stdio: [...stdio, "ipc"],
    env: { ...process.env, NODE_ENV: "production" },
  })
  const waiting = new Map()
  let count = 0
  const ready = new Promise((resolve, reject) => {
    child.on("message", (message) => {
      if (message.ready) return resolve(message.ready)
      waiting.get(message.id)?.(message.answer)
      waiting.delete(message.id)
    })
    child.once("exit", (code) => reject(new Error(`the server of ${file} ended with ${code} before it was asked to`)))
  })
  return {
    child,
    ...(await ready),
    ask(what, of) {
      count += 1
      const id = count
      return new Promise((resolve) => {
        waiting.set(id, resolve)
        child.send({ id, ask: what, of })
      })
    },
    stop() {
      return new Promise((resolve) => {
        child.once("exit", resolve)
        child.kill("SIGKILL")
      })
    },
  }
}
