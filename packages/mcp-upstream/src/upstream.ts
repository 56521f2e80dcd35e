import type { AgenticService } from "@x/agentic-service"
import type { Occupancy } from "@x/agentic-service/adapter"
import type { Observable } from "rxjs"

/** A foreign MCP server as an agentic service. Its tools are actions, its resources states, its templates read-only actions. */
export interface Upstream extends AgenticService {
  /** The identity of the current server; it changes if another server takes its place. */
  readonly occupancy: Occupancy
  /** The connection's status: the current one, then each change. Completes on close. */
  readonly status: Observable<UpstreamStatus>
  /** Events of the server, for logs and operators. Hot; completes on close. Secrets from the options are removed. */
  readonly events: Observable<UpstreamEvent>
  /** Returns the counts of what is open; all zero once `close()` has settled. */
  holdings(): Holdings
  /**
   * Accepts the definition of a tool that is held back because it changed.
   *
   * @param digest - The digest of the definition that the operator has read, from the event `definition_changed`.
   * @returns Whether that definition was held back; no other one is accepted.
   */
  accept(tool: string, digest: string): boolean
  /**
   * Connects at once, even if the server was left down or the next attempt is not due yet. A new sign-in page may open; the
   * former one becomes invalid.
   */
  reconnect(): void
  /**
   * Finishes a sign-in whose page `auth` has opened, then connects.
   *
   * @param callback - The query that the browser brought back to the provider's `redirectUrl`. Compare its `state` first.
   * @throws UpstreamError `unauthorized` if the server refuses it; `invalid_option` if the server has no provider that signs
   * in.
   */
  finishSignIn(callback: URLSearchParams): Promise<void>
  /** Closes the connection and ends its process, if any. Settles once all is closed. Idempotent. */
  close(): Promise<void>
}

/** A server connection's status. */
export type UpstreamStatus =
  | {
      /** Not connected yet, because no request has needed it. */
      readonly state: "idle"
    }
  | {
      /** Connecting, for the first time or again. */
      readonly state: "connecting"
    }
  | {
      /** Connected. */
      readonly state: "connected"
      /** The protocol era of the connection. */
      readonly era: "legacy" | "modern"
      /** The server's description of itself. */
      readonly server?: {
        /** Its name. */
        readonly name: string
        /** Its version. */
        readonly version: string
      }
    }
  | {
      /** Lost or unreachable; the next attempt is scheduled. */
      readonly state: "waiting"
      /** The reason. */
      readonly reason: string
      /** The time until the next attempt, in milliseconds. */
      readonly retryMs: number
    }
  | {
      /** Left down; it needs a person. */
      readonly state: "down"
      /** The reason. */
      readonly reason: string
      /** The action that fixes it. */
      readonly remedy: string
      /** Whether it waits for a sign-in. Default `false`. */
      readonly signIn?: boolean
    }
  | {
      /** Closed by the application. */
      readonly state: "closed"
    }

/** An event of a server. */
export type UpstreamEvent =
  | {
      /** The connection's status has changed. */
      readonly type: "status"
      /** The current status. */
      readonly status: UpstreamStatus
    }
  | {
      /** The server sent a log message. At most a hundred a second are reported. */
      readonly type: "log"
      /** The severity (RFC 5424). */
      readonly level: string
      /** The logging component. */
      readonly logger?: string
      /** The logged value. */
      readonly data: unknown
    }
  | {
      /** A command wrote a line to its standard error. At most fifty a second are reported, each cut to 1,000 characters. */
      readonly type: "stderr"
      /** The line. */
      readonly line: string
    }
  | {
      /** A tool's definition differs from the one that was first seen or accepted. */
      readonly type: "definition_changed"
      /** The tool. */
      readonly tool: string
      /** The differing members by name, before and after. */
      readonly diff: Readonly<Record<string, MemberDifference>>
      /** The digest of the current definition, for `accept`. */
      readonly digest: string
      /** Whether the tool is held back until `accept`. */
      readonly held: boolean
    }
  | {
      /** A fault that an operator should know of. */
      readonly type: "diagnostic"
      /** The kind of fault. */
      readonly code: UpstreamDiagnosticCode
      /** The fault and its fix. */
      readonly message: string
    }

/** One member's difference between two definitions. */
export interface MemberDifference {
  /** The former value; `undefined` if the member was absent. */
  readonly before: unknown
  /** The current value; `undefined` if the member is absent. */
  readonly after: unknown
}

/**
 * The faults that are reported about a server.
 *
 * - `hidden_characters`: a text contains characters that people cannot see but models read.
 * - `malformed`: the server sent something invalid, which is left out.
 * - `list_failed`: a list could not be read.
 * - `list_endless`: one of its lists does not end; the part that was read is served.
 * - `question_dropped`: a question or request of the server was refused, because its call is unknown, or the client of that
 * call did not declare the capability.
 * - `crash_loop`: its process ended too often in a row.
 * - `too_many_callers`: a caller of a gateway gets no connection of its own, because too many callers have one.
 * - `result_too_large`: a result was larger than the link allows.
 */
export type UpstreamDiagnosticCode =
  | "hidden_characters"
  | "malformed"
  | "list_failed"
  | "list_endless"
  | "question_dropped"
  | "crash_loop"
  | "result_too_large"
  | "too_many_callers"

/** Counts of open things, by kind. */
export interface Holdings {
  /** Connections to the server, including those being opened. */
  readonly connections: number
  /** Processes. */
  readonly children: number
  /** Timers. */
  readonly timers: number
  /** Calls and reads that wait for the server. */
  readonly calls: number
}

/** Options of a foreign server, however it is reached. */
export interface UpstreamOptions {
  /**
   * The service's name, shown to people and used as the authority of URIs. Default: the server's own name, else `"upstream"`.
   */
  readonly name?: string
  /** The service's purpose in one sentence. Default: absent. */
  readonly description?: string
  /**
   * When to connect: `lazy` at the first list or call, `eager` at once. An adapter lists when it is created. Default `lazy`.
   */
  readonly connect?: "lazy" | "eager"
  /** The protocol revisions to try. Default `auto`: the modern one first. */
  readonly era?: "auto" | "legacy" | "modern"
  /** The tools to include, by name; a `*` matches any characters. Default: all. */
  readonly include?: readonly string[]
  /** The tools to leave out; takes precedence over `include`. */
  readonly exclude?: readonly string[]
  /**
   * New names of tools, by their server's names; `include`, `exclude` and `accept` use the server's names. A tool keeps its own
   * name if another tool has the new one. Default: no renaming.
   */
  readonly rename?: Readonly<Record<string, string>>
  /** How to treat a tool whose definition has changed: hold it back until `accept`, or pass it on. Default `pass`. */
  readonly onChange?: "hold" | "pass"
  /** Stores the definitions that `hold` compares, so that they survive this process. Default: not stored. */
  readonly seen?: SeenStore
  /**
   * Whether each call to a legacy server gets a connection of its own, so that questions and log messages can be matched to
   * their call even if all messages share one pipe. A command then runs once for each call and shares no memory between calls.
   * Default `false`.
   */
  readonly ownConnection?: boolean
  /**
   * The requests that the server may make of its callers: questions to the person (`elicitation`), samples from the client's
   * model (`sampling`), the client's folders (`roots`). A request reaches only the client whose call caused it, and only if
   * that client declared the capability. Default: all.
   */
  readonly mayAsk?: readonly Askable[]
  /** Whether tools keep their own names, without the path; for a single server of a gateway. Default `false`. */
  readonly plainNames?: boolean
  /** The limits of this server. */
  readonly limits?: Partial<UpstreamLimits>
}

/** A kind of request that a server may make: of the person, of the client's model, or for the client's folders. */
export type Askable = "elicitation" | "sampling" | "roots"

/** Stores the definitions of a server's tools. */
export interface SeenStore {
  /** Returns what was stored last; empty the first time. Called once. */
  read(): SeenTools
  /** Stores the definitions. Must not throw. */
  write(seen: SeenTools): void
}

/** Definitions of tools by name, as their server sent them. */
export interface SeenTools {
  /** The definition of each tool when first seen or accepted. */
  readonly accepted: Readonly<Record<string, Listed>>
  /** The current definitions of tools that are held back. */
  readonly held: Readonly<Record<string, Listed>>
}

/** The limits of one server. */
export interface UpstreamLimits {
  /** The most milliseconds that connecting may take. Default 30,000, since a command may have to be downloaded first. */
  readonly connectMs: number
  /** The most milliseconds that a call may take. Default: the adapter's. */
  readonly callMs: number
  /** The most milliseconds that a list or a read may take. Default 30,000. */
  readonly requestMs: number
  /** The most concurrent calls; further ones wait. Default 16. */
  readonly concurrency: number
  /** The most characters of a result, as JSON. Default 10,000,000. */
  readonly resultChars: number
  /** Milliseconds between heartbeats of an idle connection; 0 for none. Default 30,000. */
  readonly heartbeatMs: number
  /** Milliseconds for which a lost server's members stay listed, in case it comes back. Default 1,000. */
  readonly graceMs: number
  /** Milliseconds before the first attempt to reconnect; the wait doubles, with jitter. Default 500. */
  readonly retryMs: number
  /** The longest wait before an attempt to reconnect, in milliseconds. Default 60,000. */
  readonly retryMaxMs: number
  /**
   * The least milliseconds between reads of a list that announces no changes; it is reread when a client lists. Default 10,000.
   */
  readonly staleMs: number
  /** The most items of one list. Default 20,000. */
  readonly items: number
}

/** The default limits. */
export const defaultLimits: UpstreamLimits = {
  connectMs: 30_000,
  callMs: 2_147_483_647,
  requestMs: 30_000,
  concurrency: 16,
  resultChars: 10_000_000,
  heartbeatMs: 30_000,
  graceMs: 1_000,
  retryMs: 500,
  retryMaxMs: 60_000,
  staleMs: 10_000,
  items: 20_000,
}

/** A list's item as the server sent it. */
export type Listed = Readonly<Record<string, unknown>>
