import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import type { ExposureName } from "@x/mcp-adapter"

/** How the demo was started. */
export interface Options {
  /** Only says how it can be started. */
  readonly help: boolean
  /** Keeps the board in this process in place of a page. */
  readonly headless: boolean
  /** Serves over stdin and stdout in place of HTTP, and so without a page. */
  readonly stdio: boolean
  /** Which tools are listed. */
  readonly exposure: ExposureName
  /** Keeps no log of what happens. */
  readonly quiet: boolean
  /** Keeps the log as JSON, on stderr, for programs. */
  readonly json: boolean
  /** The address to listen on. */
  readonly host: string
  /** The port to listen on; 0 takes any free one. */
  readonly port: number
}

/** What `--help` prints: of a file, so that `npm start -- --help` can say it before anything is installed. */
export const usage: string = readFileSync(new URL("../../usage.txt", import.meta.url), "utf8").trimEnd()

/**
 * Reads the command line, and the environment for what it leaves open.
 *
 * @throws Error in words for whoever typed it.
 */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h", default: false },
      headless: { type: "boolean", default: false },
      stdio: { type: "boolean", default: false },
      exposure: { type: "string", default: "dynamic" },
      quiet: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      host: { type: "string", default: env["HOST"] || "127.0.0.1" },
      port: { type: "string", default: env["PORT"] || "3000" },
    },
  })
  return { ...values, exposure: toExposure(values.exposure), port: toPort(values.port) }
}

function toExposure(text: string): ExposureName {
  if (text === "dynamic" || text === "stable" || text === "meta") return text
  throw new Error(`exposure is "${text}": expected dynamic, stable or meta`)
}

function toPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new Error(`port is "${text}": expected a whole number from 0 to 65535`)
  return port
}
