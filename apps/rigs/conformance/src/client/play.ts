import { once } from "node:events"
import { connect } from "node:net"
import process from "node:process"

// The program that a suite starts for each scenario: `play.js <client> <url>`. A suite starts all programs at once, so each
// waits for its turn before it loads other modules. The turn ends with the process.
const turn = connect(Number(process.env["CONFORMANCE_TURNS"]), "127.0.0.1")
await once(turn, "data")
await import("./play-scenario.js")
turn.destroy()
