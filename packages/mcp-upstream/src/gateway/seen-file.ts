import { readFileSync, renameSync, watch, writeFileSync } from "node:fs"
import { basename, dirname } from "node:path"
import { isRecord } from "@x/tool-schemas/json"
import equal from "fast-deep-equal"
import type { SeenStore, SeenTools, Upstream } from "../upstream.js"
import { UpstreamError } from "../upstream-error.js"

/** A file that keeps what the tools of a gateway's servers were, so that one that changes while nobody looks is held back too. */
export interface SeenFile {
  /** What of it is a server's. */
  store(server: string): SeenStore
  /** What is held back, as `server/tool`. */
  held(): readonly string[]
  /**
   * Accepts what is held back, in the file: a gateway that follows it, and one that starts with it, goes by that.
   *
   * @param what - `server/tool`, or `server` for all that is held back of it.
   * @returns What was accepted.
   */
  accept(what: string): readonly string[]
  /**
   * Lets a gateway follow what is accepted in the file.
   *
   * @returns Ends it.
   */
  follow(gateway: { servers(): ReadonlyMap<string, Pick<Upstream, "accept">> }): () => void
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
  let known = read(file)
  const write = (next: Seen): void => {
    if (equal(known, next)) return
    known = next
    // Written beside it and put in its place, so that nobody reads the half of it.
    writeFileSync(`${file}.new`, `${JSON.stringify(next, undefined, 2)}\n`, { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  const held = (): readonly string[] =>
    Object.entries(known).flatMap(([server, seen]) => Object.keys(seen.held).map((tool) => `${server}/${tool}`))
  return {
    store: (server) => ({
      read: () => (Object.hasOwn(known, server) ? known[server] : undefined) ?? NOTHING,
      write(seen) {
        try {
          write({ ...known, [server]: seen })
        } catch (cause) {
          const why = cause instanceof Error ? cause.message : String(cause)
          failed(new UpstreamError("invalid_config", `what its tools were cannot be kept: ${why}`, { cause }))
        }
      },
    }),
    held,
    accept(what) {
      const found = held().filter((name) => name === what || name.startsWith(`${what}/`))
      write(Object.fromEntries(Object.entries(known).map(([server, seen]) => [server, acceptIn(server, seen, found)])))
      return found
    },
    follow(gateway) {
      let timer: NodeJS.Timeout | undefined
      const apply = (): void => {
        const before = known
        const now = readOrKeep(file, before)
        for (const [server, { held }] of Object.entries(before)) {
          for (const [tool, definition] of Object.entries(held))
            if (equal(now[server]?.accepted[tool], definition)) gateway.servers().get(server)?.accept(tool)
        }
      }
      const watcher = watch(dirname(file), { persistent: false }, (_, changed) => {
        if (changed !== null && changed !== basename(file)) return
        clearTimeout(timer)
        timer = setTimeout(apply, REST_MS)
      })
      return () => {
        clearTimeout(timer)
        watcher.close()
      }
    },
  }
}

const NOTHING: SeenTools = { accepted: {}, held: {} }

function acceptIn(server: string, { accepted, held }: SeenTools, found: readonly string[]): SeenTools {
  const isFound = (tool: string): boolean => found.includes(`${server}/${tool}`)
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
