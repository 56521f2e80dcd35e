import type { JsonValue } from "@x/tool-schemas/json"

/**
 * One thing that happened in an adapter, as the live view is told of it and as a recording keeps it: plain JSON, in the order
 * of happening. {@link StartFrame} comes first; whoever applies those after it to it has what there is now.
 */
export type Frame = StartFrame | ChangeFrame | CallFrame | NoticeFrame | ClientsFrame | NoteFrame | SkippedFrame

/** When something happened. */
export interface Stamped {
  /** Milliseconds since the start, on a clock that never goes back. */
  readonly at: number
}

/** How everything was when somebody began to look. */
export interface StartFrame extends Stamped {
  /** Tells the frames apart. */
  readonly type: "start"
  /** The server's name. */
  readonly name: string
  /** The server's version. */
  readonly version: string
  /** What clients may tell their models about the server. */
  readonly instructions?: string
  /** When it was, in ISO 8601. */
  readonly time: string
  /** The principal whose view it is, where one was named. */
  readonly principal?: string
  /** What of the application's own is in the frames. */
  readonly show: Shows
  /** The catalogue's revision. */
  readonly revision: number
  /** Every tool that is known, whether it can be called now or not. */
  readonly tools: readonly ToolRow[]
  /** The adapter's own tools, by the exposure that shows them. */
  readonly builtIns: BuiltInNames
  /** The states there are. */
  readonly states: readonly StateRow[]
  /** The links there are. */
  readonly links: readonly LinkRow[]
  /** What came before the start and is kept: the newest calls. */
  readonly calls: readonly CallFrame[]
  /** Who is told of changes. */
  readonly clients: readonly ClientRow[]
}

/** The names of the adapter's own tools, by the exposure that lists them. */
export type BuiltInNames = Readonly<Record<ExposureOf, readonly string[]>>

/** The faces that an adapter has for clients. */
export type ExposureOf = "dynamic" | "stable" | "meta"

/** What of the application's own is shown. */
export interface Shows {
  /** The arguments of calls. */
  readonly arguments: boolean
  /** What calls answer. */
  readonly results: boolean
  /** The values of states. */
  readonly values: boolean
}

/** A tool. */
export interface ToolRow {
  /** Its name. */
  readonly name: string
  /** The service that has the action, as link keys from the root. */
  readonly path: readonly string[]
  /** The action's key. */
  readonly key: string
  /** Its name for people. */
  readonly title?: string
  /** What it does; the first 300 characters. */
  readonly description: string
  /** Such as `read only`, `destructive`. */
  readonly hints: readonly string[]
  /** Whether it can be called now. */
  readonly available: boolean
  /** Why it cannot be called now, where the service says. */
  readonly reason?: string
}

/** A state. */
export interface StateRow {
  /** Where it is read. */
  readonly uri: string
  /** Its path and key, joined with `/`. */
  readonly name: string
  /** The service that has it, as link keys from the root. */
  readonly path: readonly string[]
  /** What it tells. */
  readonly description?: string
  /** The media type of its value. */
  readonly mimeType: string
  /** The catalogue's revision when it last became another, as far as that was seen. */
  readonly revision: number
  /** How often it became another since the start. */
  readonly changes: number
  /** Its value, where it is shown. */
  readonly value?: JsonValue
  /** Whether the value is only its beginning. */
  readonly cut?: true
}

/** A link. */
export interface LinkRow {
  /** Where it leads, as link keys from the root. */
  readonly path: readonly string[]
  /** Where that service is listed; another path than its own where the link is one of several to it. */
  readonly canonical: readonly string[]
  /** Why one would follow it. */
  readonly description?: string
  /** The name of the service. */
  readonly service: string
}

/** What is on offer is other than before, or the value of a state is. */
export interface ChangeFrame extends Stamped {
  /** Tells the frames apart. */
  readonly type: "change"
  /** The catalogue's revision after it. */
  readonly revision: number
  /** Whether it is the rest of the start, and nothing that happened. */
  readonly quiet?: true
  /** Tools that are new, or other than they were. */
  readonly put?: readonly ToolRow[]
  /** Tools that can be called again, as they were. */
  readonly back?: readonly string[]
  /** Tools that cannot be called any more, and why. */
  readonly away?: readonly AwayRow[]
  /** Tools that still cannot be called, for another reason than before. */
  readonly reasons?: readonly AwayRow[]
  /** The adapter's own tools, all of them, if any list of them is another. */
  readonly builtIns?: BuiltInNames
  /** Tools that nothing is known of any more. */
  readonly gone?: readonly string[]
  /** States that are new, or defined otherwise. */
  readonly states?: readonly StateRow[]
  /** States that are not there any more. */
  readonly statesGone?: readonly string[]
  /** States that have another value. */
  readonly values?: readonly ValueRow[]
  /**
   * Paths of services that another thing has taken the place of, such as another document under the same link. Their tools
   * and states are defined as before.
   */
  readonly replaced?: readonly (readonly string[])[]
  /** Links that are new, or lead elsewhere. */
  readonly links?: readonly LinkRow[]
  /** Links that are not there any more. */
  readonly linksGone?: readonly (readonly string[])[]
}

/** Another value of a state. */
export interface ValueRow {
  /** Which state. */
  readonly uri: string
  /** The value, where it is shown. */
  readonly value?: JsonValue
  /** Whether the value is only its beginning. */
  readonly cut?: true
}

/** A call, as far as it has come; a later frame of the same id replaces an earlier one. */
export interface CallFrame extends Stamped {
  /** Tells the frames apart. */
  readonly type: "call"
  /** Which call. */
  readonly id: string
  /** The tool's name, as the caller used it. */
  readonly name: string
  /** Who calls, as limits count; a hash where it is the id of a session, which is all it takes to use the session. */
  readonly client: string
  /** What the client says it is: a claim, no proof. */
  readonly info?: InfoRow
  /** Who calls, where that is known. */
  readonly principal?: string
  /** Over what, and in which era. */
  readonly leg: LegRow
  /** How far it has come. */
  readonly status: "running" | "asked" | "stuck" | "ok" | "failed" | "late"
  /** The arguments, where they are shown. */
  readonly args?: JsonValue
  /** What it answered, where that is shown; or the words of its failure. */
  readonly result?: JsonValue
  /** Whether arguments or result are only their beginning. */
  readonly cut?: true
  /** The code of its failure. */
  readonly code?: string
  /** Milliseconds that it took. */
  readonly duration?: number
  /** When it began; see {@link Stamped.at}. */
  readonly began: number
  /** The catalogue's revision when it began. */
  readonly before?: number
  /** The catalogue's revision when it had its outcome, or when its client was told what changed. */
  readonly after?: number
  /** What changed between those two revisions, as clients are told: `+undo`, `-archive`, `~cards`; the first few. */
  readonly changed?: readonly string[]
  /** How many changes more there were. */
  readonly changedMore?: number
}

/** Clients were told that something is other. */
export interface NoticeFrame extends Stamped {
  /** Tells the frames apart. */
  readonly type: "notice"
  /** Which list, or that a state has another value. */
  readonly kind: "tools" | "known" | "resources" | "updated"
  /** Which state. */
  readonly uri?: string
}

/** Who is told of changes is another. */
export interface ClientsFrame extends Stamped {
  /** Tells the frames apart. */
  readonly type: "clients"
  /** They all, at most 200. */
  readonly clients: readonly ClientRow[]
  /** How many more there are. */
  readonly more: number
}

/** A client that is told of changes. */
export interface ClientRow {
  /** What limits count it by; see {@link CallFrame.client}. */
  readonly client: string
  /** What it says it is. */
  readonly info?: InfoRow
  /** Who it is, where that is known. */
  readonly principal?: string
  /** Over what, and in which era. */
  readonly leg: LegRow
  /** The lists whose changes it hears of. */
  readonly kinds: readonly string[]
  /** The states it listens to, the first 20. */
  readonly uris: readonly string[]
}

/** Something an operator should know. */
export interface NoteFrame extends Stamped {
  /** Tells the frames apart. */
  readonly type: "note"
  /** What kind of thing. */
  readonly code: string
  /** What it is. */
  readonly message: string
}

/** There was more than is shown. */
export interface SkippedFrame extends Stamped {
  /** Tells the frames apart. */
  readonly type: "skipped"
  /** How many calls were not shown. */
  readonly calls: number
}

/** How somebody is connected. */
export interface LegRow {
  /** Over what. */
  readonly transport: string
  /** In which era of the protocol. */
  readonly era: "legacy" | "modern"
}

/** A tool that cannot be called any more. */
export interface AwayRow {
  /** Its name. */
  readonly name: string
  /** Why, where the service says. */
  readonly reason?: string
}

/** What a client says it is. */
export interface InfoRow {
  /** Its name. */
  readonly name: string
  /** Its version. */
  readonly version: string
}
