import { parseArgs } from "node:util"
import { cleanText } from "@x/base"
import { connectOverHttp, connectOverStdio } from "./tour/connect.js"
import { play } from "./tour/play.js"

tour().catch((error: unknown) => {
  console.error(error)
  process.exitCode = 1
})

/** Plays and prints a client's session. Exits with an error on any unexpected behaviour. */
async function tour(): Promise<void> {
  const { values } = parseArgs({
    options: { stdio: { type: "boolean", default: false }, url: { type: "string" } },
  })
  const { close, ...connection } = await (values.stdio ? connectOverStdio() : connectOverHttp(values.url))
  await play({ ...connection, tell: (line) => console.log(cleanText(line)) }).finally(close)
}
