import type { AgenticService } from "@x/agentic-service"
import type { Occupancy } from "@x/agentic-service/adapter"
import type { Observable } from "rxjs"

/** A foreign MCP server as an agentic service. Its tools are actions, its resources states, its templates read-only actions. */
export interface Upstream extends AgenticService {
  /** The identity of the server that it stands for now; another server that comes in its place has another. */
  readonly occupancy: Occupancy
  /** Where the connection stands: now, and whenever that changes. Completes on close. */
  readonly status: Observable<UpstreamStatus>
  /** What happens to the server, for logs and operators. Hot; completes on close. No secret of the options is in it. */
  readonly events: Observable<UpstreamEvent>
  /** What is held open now; all zero once `close()` has settled. */
  holdings(): Holdings
  /**
   * Accepts the definition of a tool that is held back because it changed.
   *
   * @param digest - The digest of the definition that the operator read, as the event `definition_changed` has it.
   * @returns Whether that very definition was held; another one is not accepted.
   */
  accept(tool: string, digest: string): boolean
  /** Connects at once: also where the server was left down, and where the next attempt is a while off. */
  reconnect(): void
  /** Ends the connection, and the process where there is one; settles once everything is gone. Idempotent. */
  close(): Promise<void>
}

/** Where the connection to a server stands. */
export type UpstreamStatus =
  | {
      /** Nobody has needed it yet. */
      readonly state: "idle"
    }
  | {
      /** It is being connected, the first time or again. */
      readonly state: "connecting"
    }
  | {
      /** It is there. */
      readonly state: "connected"
      /** The protocol's era it speaks. */
      readonly era: "legacy" | "modern"
      /** What it says it is. */
      readonly server?: {
        /** Its name. */
        readonly name: string
        /** Its version. */
        readonly version: string
      }
    }
  | {
      /** It was lost or could not be reached; the next attempt follows by itself. */
      readonly state: "waiting"
      /** Why. */
      readonly reason: string
      /** How long until the next attempt, in milliseconds. */
      readonly retryMs: number
    }
  | {
      /** It is left down: nothing follows by itself. */
      readonly state: "down"
      /** Why. */
      readonly reason: string
      /** What to do about it. */
      readonly remedy: string
    }
  | {
      /** It was closed. */
      readonly state: "closed"
    }

/** Something that happened to a server. */
export type UpstreamEvent =
  | {
      /** Where the connection stands has changed. */
      readonly type: "status"
      /** Where it stands now. */
      readonly status: UpstreamStatus
    }
  | {
      /** The server sent a log message; at most a hundred a second are told. */
      readonly type: "log"
      /** How much it matters (RFC 5424). */
      readonly level: string
      /** Which part of the server speaks. */
      readonly logger?: string
      /** What it says. */
      readonly data: unknown
    }
  | {
      /** A command wrote a line to its standard error; at most fifty a second, of at most 1,000 characters each. */
      readonly type: "stderr"
      /** The line. */
      readonly line: string
    }
  | {
      /** The definition of a tool is another than the one that was seen before. */
      readonly type: "definition_changed"
      /** The tool. */
      readonly tool: string
      /** What differs: members by name, before and after. */
      readonly diff: Readonly<Record<string, MemberDifference>>
      /** The digest of the definition as it is now; what `accept` takes. */
      readonly digest: string
      /** Whether the tool is held back until `accept`. */
      readonly held: boolean
    }
  | {
      /** Something an operator should know. */
      readonly type: "diagnostic"
      /** What it is about. */
      readonly code: UpstreamDiagnosticCode
      /** What was found, and what to do. */
      readonly message: string
    }

/** How a member of a definition differs. */
export interface MemberDifference {
  /** What it was; `undefined` where it was not there. */
  readonly before: unknown
  /** What it is; `undefined` where it is not there any more. */
  readonly after: unknown
}

/**
 * What an operator is told of a server.
 *
 * - `hidden_characters`: a text of it has characters that people do not see and models do.
 * - `malformed`: it sent something that cannot be used; the rest is.
 * - `list_failed`: one of its lists could not be read.
 * - `list_endless`: one of its lists does not end; what came of it is served.
 * - `question_dropped`: it asked a person, and the question was declined because it does not show for which call.
 * - `crash_loop`: its process ended too often in a row.
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

/** How much is held open, by kind. */
export interface Holdings {
  /** Connections to the server, being made or there. */
  readonly connections: number
  /** Processes. */
  readonly children: number
  /** Timers. */
  readonly timers: number
  /** Calls and reads that wait for the server. */
  readonly calls: number
}

/** How a foreign server is taken, whatever leads to it. */
export interface UpstreamOptions {
  /** Names the service, to people and as the authority of URIs. Default: what the server calls itself, else `"upstream"`. */
  readonly name?: string
  /** What the service is for, in a sentence. Default: nothing. */
  readonly description?: string
  /**
   * When it is connected: `lazy` once somebody lists or calls, `eager` at once. Default `lazy`. An adapter lists as soon as
   * there is one.
   */
  readonly connect?: "lazy" | "eager"
  /** Which revisions of the protocol are tried. Default `auto`: the modern one first. */
  readonly era?: "auto" | "legacy" | "modern"
  /** The tools that are taken, by name; a `*` stands for anything. Default: all. */
  readonly include?: readonly string[]
  /** The tools that are left out; wins over `include`. */
  readonly exclude?: readonly string[]
  /**
   * What tools are called here, by the names that their server gives them; `include`, `exclude` and `accept` go by those. A tool
   * that would take the name of another keeps its own. Default: as their server calls them.
   */
  readonly rename?: Readonly<Record<string, string>>
  /** What becomes of a tool whose definition changes after it was seen: held back until `accept`, or passed on. Default `pass`. */
  readonly onChange?: "hold" | "pass"
  /** Remembers for `hold` what each tool was, beyond this process. Default: nothing is remembered. */
  readonly seen?: SeenStore
  /**
   * Whether each call of a server of the legacy era has a connection of its own, so that its questions and log messages can be
   * told apart where all messages share one pipe. A command then runs once for each call: nothing that it keeps in memory is
   * shared. Default `false`.
   */
  readonly ownConnection?: boolean
  /** Whether tools keep their own names instead of names made of the path; for one server of a gateway. Default `false`. */
  readonly plainNames?: boolean
  /** Limits of this server. */
  readonly limits?: Partial<UpstreamLimits>
}

/** Keeps what the tools of a server were. */
export interface SeenStore {
  /** What was kept last; nothing before the first time. Read once. */
  read(): SeenTools
  /** Keeps this. Must not throw. */
  write(seen: SeenTools): void
}

/** Definitions of tools by name, as their server sent them. */
export interface SeenTools {
  /** What each was when it was seen first, or accepted. */
  readonly accepted: Readonly<Record<string, Listed>>
  /** What those that are held back are now. */
  readonly held: Readonly<Record<string, Listed>>
}

/** What one server is held to. */
export interface UpstreamLimits {
  /** How long connecting may take, in milliseconds. Default 30,000: a command may have to be fetched first. */
  readonly connectMs: number
  /** How long a call may take, in milliseconds. Default: as the adapter has it. */
  readonly callMs: number
  /** How long a list or a read may take, in milliseconds. Default 30,000. */
  readonly requestMs: number
  /** How many calls run at once; further ones wait. Default 16. */
  readonly concurrency: number
  /** The most characters of a result, as JSON. Default 10,000,000. */
  readonly resultChars: number
  /** How often a connection without traffic is tried, in milliseconds; 0 for never. Default 30,000. */
  readonly heartbeatMs: number
  /** How long a lost server's members stay, in milliseconds, in case it is back by then. Default 1,000. */
  readonly graceMs: number
  /** The first wait before connecting again, in milliseconds; it doubles, with jitter. Default 500. */
  readonly retryMs: number
  /** The longest wait before connecting again, in milliseconds. Default 60,000. */
  readonly retryMaxMs: number
  /** How often a list that announces no changes is read again at most, in milliseconds, when somebody lists. Default 10,000. */
  readonly staleMs: number
  /** The most items of one list. Default 20,000. */
  readonly items: number
}

/** The limits used where none are given. */
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

/** An item of a list, as a server sent it. */
export type Listed = Readonly<Record<string, unknown>>
