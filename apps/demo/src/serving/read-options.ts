import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import type { ExposureName } from "@x/mcp-adapter"

/** The demo's options. */
export interface Options {
  /** Prints the usage only. */
  readonly help: boolean
  /** Keeps the board in this process instead of a page. */
  readonly headless: boolean
  /** Serves over stdin and stdout instead of HTTP, without a page. */
  readonly stdio: boolean
  /** The tools to list. */
  readonly exposure: ExposureName
  /** How long an export of the board lasts, in seconds. Without it, models cannot export the board. */
  readonly export: number | undefined
  /** Disables the log. */
  readonly quiet: boolean
  /** Logs as JSON to stderr. */
  readonly json: boolean
  /** The address to listen on. */
  readonly host: string
  /** The listening port; 0 for any free port. */
  readonly port: number
}

/** The output of `--help`. Stored in a file so that `npm start -- --help` works before anything is installed. */
export const usage: string = readFileSync(new URL("../../usage.txt", import.meta.url), "utf8").trimEnd()

/**
 * Parses the command line; the environment supplies the defaults.
 *
 * @throws Error whose message names the faulty option.
 */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h", default: false },
      headless: { type: "boolean", default: false },
      stdio: { type: "boolean", default: false },
      exposure: { type: "string", default: "dynamic" },
      export: { type: "string" },
      quiet: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      host: { type: "string", default: env["HOST"] || "127.0.0.1" },
      port: { type: "string", default: env["PORT"] || "3000" },
    },
  })
  return {
    ...values,
    exposure: toExposure(values.exposure),
    export: toSeconds(values.export),
    port: toPort(values.port),
  }
}

function toExposure(text: string): ExposureName {
  if (text === "dynamic" || text === "stable" || text === "meta" || text === "grouped") return text
  throw new Error(`exposure is "${text}": expected dynamic, stable, meta or grouped`)
}

function toSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const seconds = Number(text)
  if (seconds > 0 && seconds <= 3_600) return seconds
  throw new Error(`export is "${text}": expected the seconds that an export lasts, at most 3600`)
}

function toPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65_535)) throw new Error(`port is "${text}": expected a whole number from 0 to 65535`)
  return port
}
