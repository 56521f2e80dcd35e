import { parseArgs } from "node:util"
import type { ExposureName } from "@x/mcp-adapter"

/** How the demo was started. */
export interface Options {
  /** Only says how it can be started. */
  readonly help: boolean
  /** Serves over stdin and stdout in place of HTTP. */
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

/** What `--help` prints. */
export const usage = `Serves a project board to any MCP client.

  npm start                        over HTTP, at http://127.0.0.1:3000/mcp
  npm start -- --port 8080         on another port (or PORT=8080), 0 for any free one
  npm start -- --host 192.168.1.7  on another address (or HOST=…), where others reach it: think twice
  npm start -- --exposure stable   with every tool listed, always; or meta: a few that find and run the rest
  npm start -- --quiet             without the log of what happens
  npm start -- --json              with a JSON line for each call in place of it, on stderr
  node apps/demo/dist/main.js --stdio   over stdin and stdout, for clients that start their servers
  npm run tour                     a client plays a session with it and tells what it sees`

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
