import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server"
import { shortHash, toMessage } from "@x/base"
import type { RecordCollection } from "@x/records"
import { LRUCache } from "lru-cache"
import type { Report } from "../../runtime/diagnostic.js"
import { principalKey } from "../../views/principal-key.js"
import type { Opening } from "./legacy-session.js"
import type { McpVisitor } from "./mcp-visitor.js"
import type { SessionLimits } from "./sessions.js"

/** The session under whose id a client goes on. */
export type Former = NonNullable<Opening["former"]>

/** Decides which unknown sessions are taken up under their old id. */
export interface TakeUp {
  /** Returns the session to take up, or `undefined` if that is not allowed or not safe. Never rejects. */
  former(visitor: McpVisitor, id: string): Promise<Former | undefined>
  /**
   * Marks a session that its client ends, so that it is never taken up.
   *
   * @returns Whether the mark is stored. Without a store, this process remembers it, and that counts.
   */
  never(visitor: McpVisitor, id: string): Promise<boolean>
}

/** How long a mark of an ended session is kept, in milliseconds: 30 days. */
const MARK_MS = 2_592_000_000

/** Creates the decision, with the marks of sessions that ended here, or in all processes that share a store. */
export function createTakeUp({ takeUpSessions = false, endedSessions }: SessionLimits, report: Report): TakeUp {
  const ended = new LRUCache<string, true>({ max: 1_000 })
  const marks: RecordCollection<true> | undefined = endedSessions?.collection({
    name: "ended-sessions",
    ttlMs: MARK_MS,
    full: "evict",
    limits: { recordBytes: 10, ownerRecords: 10_000 },
  })
  const fail = (cause: unknown): void => {
    const message = `the marks of ended sessions cannot be used: ${toMessage(cause)}`
    report({ code: "records_unavailable", message, cause })
  }
  const hasEnded = async (id: string): Promise<boolean> => {
    if (ended.has(id) || marks === undefined) return ended.has(id)
    try {
      return (await marks.read(id)) !== undefined
    } catch (cause) {
      fail(cause)
      // Nobody knows, so its client begins anew.
      return true
    }
  }
  return {
    async former(visitor, id) {
      const version = versionOf(visitor)
      if (!takeUpSessions || !OURS.test(id) || version === undefined) return undefined
      return (await hasEnded(id)) ? undefined : { id, version }
    },
    async never(visitor, id) {
      try {
        // Each principal has a share of its own: nobody's marks drop those of others.
        await marks?.create(id, true, { owner: shortHash([principalKey(visitor.principal)]) })
      } catch (cause) {
        fail(cause)
        return false
      }
      ended.set(id, true)
      return true
    },
  }
}

/** The format of `crypto.randomUUID`. */
const OURS = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function versionOf({ head }: McpVisitor): string | undefined {
  const version = head.headers.get("mcp-protocol-version")
  return version !== null && SUPPORTED_PROTOCOL_VERSIONS.includes(version) ? version : undefined
}
