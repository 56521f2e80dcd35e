import { readFileSync } from "node:fs"
import { isRecord, toMessage } from "@x/base"
import { replaceFile } from "@x/mcp-adapter/replace-file"
import equal from "fast-deep-equal"
import { diffOf, digestOf } from "../trust/definitions.js"
import type { MemberDifference, SeenStore, SeenTools, Upstream } from "../upstream.js"
import { UpstreamError } from "../upstream-error.js"
import { followFile } from "./follow-file.js"

/** A file of the tool definitions that a gateway's servers had, so that a change between two runs is held back too. */
export interface SeenFile {
  /** Returns one server's store. */
  store(server: string): SeenStore
  /** Returns the tools that are held back. */
  held(): readonly HeldTool[]
  /**
   * Accepts a held definition in the file. Gateways that follow the file, or start later, apply that.
   *
   * @param name - The tool, as `server/tool`.
   * @param digest - The digest of the definition that the operator has read.
   * @returns Whether that definition was held back; no other one is accepted.
   */
  accept(name: string, digest: string): boolean
  /**
   * Applies definitions accepted in the file to a gateway.
   *
   * @returns A function that stops it.
   */
  follow(gateway: { servers(): ReadonlyMap<string, Pick<Upstream, "accept">> }): () => void
}

/** A tool held back because its definition changed. */
export interface HeldTool {
  /** The tool, as `server/tool`. */
  readonly name: string
  /** The digest of its current definition. */
  readonly digest: string
  /** The differences from the accepted definition: members by name, before and after. */
  readonly diff: Readonly<Record<string, MemberDifference>>
}

type Seen = Readonly<Record<string, SeenTools>>

/**
 * Stores definitions in a JSON file, created when needed.
 *
 * @param failed - Receives the error of a failed write; the definitions are then kept until this process ends.
 * @throws UpstreamError `invalid_config` if the file exists but cannot be read, since going on would trust any definition.
 * @example
 * ```ts
 * import { mkdtemp, rm } from "node:fs/promises"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 * import { createGateway, createSeenFile } from "@x/mcp-upstream/node"
 *
 * const folder = await mkdtemp(join(tmpdir(), "gateway-"))
 * const seen = createSeenFile(`${folder}/seen.json`)
 * const docs = { url: "http://127.0.0.1:9/mcp", onChange: "hold" } as const
 * const gateway = createGateway({ mcpServers: { docs } }, { seen })
 * const stop = seen.follow(gateway)
 * for (const { name, digest, diff } of seen.held()) {
 *   console.log(diff) // show it to the operator, and accept it if they agree
 *   seen.accept(name, digest)
 * }
 * stop()
 * await gateway.close()
 * await rm(folder, { recursive: true })
 * ```
 */
export function createSeenFile(file: string, failed: (error: UpstreamError) => void = () => {}): SeenFile {
  // The last content read or written, including changes that could not be written.
  let known = read(file)
  // The definitions that this process's servers use.
  const own = new Map<string, SeenTools>()
  // Keeps what another process has accepted since.
  const update = (change: (now: Seen) => Seen): void => {
    const now = readOrKeep(file, known)
    const next = change(now)
    if (!equal(now, next)) replaceFile(file, `${JSON.stringify(next, undefined, 2)}\n`, { mode: 0o600 })
    known = next
  }
  return {
    store: (server) => ({
      read() {
        const found = (Object.hasOwn(known, server) ? known[server] : undefined) ?? NOTHING
        own.set(server, found)
        return found
      },
      write(seen) {
        own.set(server, seen)
        try {
          update((now) => ({ ...now, [server]: keepAccepted(seen, now[server] ?? NOTHING) }))
        } catch (cause) {
          known = { ...known, [server]: seen }
          failed(toUnwritable(file, cause))
        }
      },
    }),
    held: () => heldIn(known),
    accept(name, digest) {
      let found = false
      try {
        update((now) => {
          found = heldIn(now).some((tool) => tool.name === name && tool.digest === digest)
          if (!found) return now
          return Object.fromEntries(Object.entries(now).map(([server, seen]) => [server, acceptIn(server, seen, name)]))
        })
      } catch (cause) {
        throw toUnwritable(file, cause)
      }
      return found
    },
    follow(gateway) {
      const apply = (): void => {
        const now = readOrKeep(file, known)
        for (const [server, { held }] of [...own]) {
          for (const [tool, definition] of Object.entries(held))
            if (equal(now[server]?.accepted[tool], definition))
              gateway.servers().get(server)?.accept(tool, digestOf(definition))
        }
      }
      return followFile(file, apply)
    },
  }
}

/** Returns a server's definitions, updated with those accepted in the file. */
function keepAccepted({ accepted, held }: SeenTools, inFile: SeenTools): SeenTools {
  const entries = Object.entries(held)
  const isAccepted = ([tool, definition]: (typeof entries)[number]): boolean => equal(inFile.accepted[tool], definition)
  return {
    accepted: { ...accepted, ...Object.fromEntries(entries.filter(isAccepted)) },
    held: Object.fromEntries(entries.filter((entry) => !isAccepted(entry))),
  }
}

function heldIn(seen: Seen): readonly HeldTool[] {
  return Object.entries(seen).flatMap(([server, { accepted, held }]) =>
    Object.entries(held).map(([tool, definition]) => ({
      name: `${server}/${tool}`,
      digest: digestOf(definition),
      diff: diffOf(accepted[tool] ?? {}, definition),
    })),
  )
}

const NOTHING: SeenTools = { accepted: {}, held: {} }

function acceptIn(server: string, { accepted, held }: SeenTools, name: string): SeenTools {
  const isFound = (tool: string): boolean => `${server}/${tool}` === name
  const entries = Object.entries(held)
  return {
    accepted: { ...accepted, ...Object.fromEntries(entries.filter(([tool]) => isFound(tool))) },
    held: Object.fromEntries(entries.filter(([tool]) => !isFound(tool))),
  }
}

function read(file: string): Seen {
  try {
    const found: unknown = JSON.parse(readFileSync(file, "utf8"))
    if (isSeen(found)) return found
    throw new Error("its content is not a record of tool definitions")
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return {}
    throw toUnreadable(file, cause)
  }
}

function toUnreadable(file: string, cause: unknown): UpstreamError {
  const why = toMessage(cause)
  const remedy = "repair it, or remove it to accept the current definitions of the servers"
  return new UpstreamError(`"${file}" cannot be read: ${why}; ${remedy}`, { code: "invalid_config", cause })
}

function toUnwritable(file: string, cause: unknown): UpstreamError {
  const why = toMessage(cause)
  return new UpstreamError(`"${file}" cannot be written, so tool definitions are not stored: ${why}`, {
    code: "invalid_config",
    cause,
  })
}

function readOrKeep(file: string, known: Seen): Seen {
  try {
    return read(file)
  } catch {
    return known
  }
}

function isSeen(value: unknown): value is Seen {
  return (
    isRecord(value) &&
    Object.values(value).every((seen) => isRecord(seen) && isTools(seen["accepted"]) && isTools(seen["held"]))
  )
}

function isTools(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isRecord)
}
