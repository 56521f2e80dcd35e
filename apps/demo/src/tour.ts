import { parseArgs } from "node:util"
import { connectOverHttp, connectOverStdio } from "./tour/connect.js"
import { play } from "./tour/play.js"

tour().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})

/** A client plays a session with the board and tells what it sees. Ends in an error where it sees anything else. */
async function tour(): Promise<void> {
  const { values } = parseArgs({
    options: { stdio: { type: "boolean", default: false }, url: { type: "string" } },
  })
  const { close, ...connection } = await (values.stdio ? connectOverStdio() : connectOverHttp(values.url))
  await play({ ...connection, tell: console.log }).finally(close)
}
