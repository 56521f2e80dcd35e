import { fork } from "node:child_process"
import { join } from "node:path"

/**
 * Starts a server in a child process.
 *
 * @param stdio - The child's standard streams, without the IPC channel that carries the requests.
 */
export async function startServer(file, { env, ...options } = {}, stdio = ["ignore", "ignore", "inherit"]) {
  const child = fork(join(import.meta.dirname, "serve.mjs"), [file, JSON.stringify(options)], {
    execArgv: ["--expose-gc", ...(options.node ?? [])],
    stdio: [...stdio, "ipc"],
    env: { ...process.env, NODE_ENV: "production", ...env },
  })
  const waiting = new Map()
  let count = 0
  const ready = new Promise((resolve, reject) => {
    child.on("message", (message) => {
      if (message.ready) return resolve(message.ready)
      waiting.get(message.id)?.(message.answer)
      waiting.delete(message.id)
    })
    child.once("exit", (code) => reject(new Error(`the server of ${file} ended early, with exit code ${code}`)))
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
    /** Lets the process end by itself, so that it writes its coverage or profile report. */
    end() {
      return new Promise((resolve) => {
        child.once("exit", resolve)
        child.disconnect()
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
