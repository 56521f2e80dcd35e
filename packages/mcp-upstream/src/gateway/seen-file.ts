import { readFileSync, watch } from "node:fs"
import { basename, dirname } from "node:path"
import { replaceFile } from "@x/mcp-adapter/replace-file"
import { isRecord } from "@x/tool-schemas/json"
import equal from "fast-deep-equal"
import { diffOf, digestOf } from "../trust/definitions.js"
import type { MemberDifference, SeenStore, SeenTools, Upstream } from "../upstream.js"
import { UpstreamError } from "../upstream-error.js"

/** A file that keeps what the tools of a gateway's servers were, so that one that changes while nobody looks is held back too. */
export interface SeenFile {
  /** What of it is a server's. */
  store(server: string): SeenStore
  /** The tools that are held back. */
  held(): readonly HeldTool[]
  /**
   * Accepts the definition of a tool that is held back, in the file. A gateway that follows the file, and one that starts with it,
   * goes by that.
   *
   * @param name - The tool, as `server/tool`.
   * @param digest - The digest of the definition that the operator read.
   * @returns Whether that very definition was held; another one is not accepted.
   */
  accept(name: string, digest: string): boolean
  /**
   * Lets a gateway follow what is accepted in the file.
   *
   * @returns Ends it.
   */
  follow(gateway: { servers(): ReadonlyMap<string, Pick<Upstream, "accept">> }): () => void
}

/** A tool that is held back because its definition changed. */
export interface HeldTool {
  /** The tool, as `server/tool`. */
  readonly name: string
  /** The digest of its definition as it is now. */
  readonly digest: string
  /** How it differs from the definition that was accepted: members by name, before and after. */
  readonly diff: Readonly<Record<string, MemberDifference>>
}

/** How long the file has to be at rest before it is read, in milliseconds. */
const REST_MS = 100

type Seen = Readonly<Record<string, SeenTools>>

/**
 * Keeps definitions in a file of JSON, which need not be there yet.
 *
 * @param failed - Told that something could not be kept: it is known until this process ends.
 * @throws UpstreamError `invalid_config` where it is there and cannot be read: to go on would be to trust whatever comes.
 */
export function createSeenFile(file: string, failed: (error: UpstreamError) => void = () => {}): SeenFile {
  // The file as it was last read or written, and what could not be written.
  let known = read(file)
  // What the servers of this process go by.
  const own = new Map<string, SeenTools>()
  // Another process may have accepted something since: what it has written stays.
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

/** Calls a function when the file has changed and is at rest; returns how to stop. */
function followFile(file: string, changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  const watcher = watch(dirname(file), { persistent: false }, (_, name) => {
    if (name !== null && name !== basename(file)) return
    clearTimeout(timer)
    timer = setTimeout(changed, REST_MS)
  })
  return () => {
    clearTimeout(timer)
    watcher.close()
  }
}

/** What a server goes by, and what of that was accepted in the file meanwhile. */
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
    throw new Error("it does not hold what tools were")
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return {}
    throw toUnreadable(file, cause)
  }
}

function toUnreadable(file: string, cause: unknown): UpstreamError {
  const why = cause instanceof Error ? cause.message : String(cause)
  const remedy = "mend it, or remove it to trust what the servers say now"
  return new UpstreamError("invalid_config", `"${file}" cannot be read: ${why}; ${remedy}`, { cause })
}

function toUnwritable(file: string, cause: unknown): UpstreamError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new UpstreamError(
    "invalid_config",
    `"${file}" cannot be written, so what its tools were is not kept: ${why}`,
    {
      cause,
    },
  )
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
