// A server in a child process, which follows its parent's commands and reports its resource usage.
import { Server } from "node:http"
import { setImmediate } from "node:timers/promises"
import { pathToFileURL } from "node:url"

const [file, given] = process.argv.slice(2)
const options = JSON.parse(given)

/** A header that makes the application change before it serves the request. Saves a separate message. */
const TOGGLE = "x-bench-toggle"

const { serve } = await import(pathToFileURL(file).href)
const served = await serve(options)
if (served.toggle !== undefined) toggleOnRequest(served.toggle)

const answers = {
  cpu: () => {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  async heap() {
    for (let pass = 0; pass < 6; pass += 1) {
      await setImmediate()
      globalThis.gc?.()
    }
    return process.memoryUsage().heapUsed
  },
  toggle: () => {
    served.toggle()
    return Date.now()
  },
  run: (count) => served.run(count),
}

process.on("message", async ({ id, ask, of }) => process.send({ id, answer: await answers[ask](of) }))
process.on("disconnect", () => process.exit(0))
process.send({ ready: { url: served.url, names: served.names ?? {} } })

function toggleOnRequest(toggle) {
  const { emit } = Server.prototype
  Server.prototype.emit = function (event, request, ...rest) {
    if (event === "request" && request.headers[TOGGLE] !== undefined) toggle()
    return emit.call(this, event, request, ...rest)
  }
}
