import type { JsonValue } from "@x/base"

/**
 * An event in an adapter, as plain JSON: live views receive frames, and recordings store them, in order. {@link StartFrame}
 * comes first. Apply the later frames to it to get the current state.
 */
export type Frame = StartFrame | ChangeFrame | CallFrame | NoticeFrame | ClientsFrame | NoteFrame | SkippedFrame

/** The time of an event. */
export interface Stamped {
  /** Milliseconds since the start, on a monotonic clock. */
  readonly at: number
}

/** The complete state when watching began. */
export interface StartFrame extends Stamped {
  /** Discriminates the frames. */
  readonly type: "start"
  /** The server's name. */
  readonly name: string
  /** The server's version. */
  readonly version: string
  /** The server's instructions, which clients may pass to their models. */
  readonly instructions?: string
  /** The start time in ISO 8601. */
  readonly time: string
  /** The view's principal, if named. */
  readonly principal?: string
  /** The application data that frames contain. */
  readonly show: Shows
  /** The catalogue's revision. */
  readonly revision: number
  /** All known tools, available or not. */
  readonly tools: readonly ToolRow[]
  /** The built-in tools, by exposure. */
  readonly builtIns: BuiltInNames
  /** The available states. */
  readonly states: readonly StateRow[]
  /** The available links. */
  readonly links: readonly LinkRow[]
  /** The newest calls from before the start. */
  readonly calls: readonly CallFrame[]
  /** The clients that listen for changes. */
  readonly clients: readonly ClientRow[]
}

/** The names of the built-in tools, by exposure; `grouped` has those of `dynamic`, and tools that stand for several items. */
export type BuiltInNames = Readonly<Record<Exclude<ExposureOf, "grouped">, readonly string[]>> & {
  /** The tools that stand for actions of several items. Absent in older recordings. */
  readonly grouped?: readonly ItemToolRow[]
}

/** A tool that stands for the same action of several items. */
export interface ItemToolRow {
  /** The tool's name. */
  readonly name: string
  /** The names of the actions, which `grouped` does not list. */
  readonly actions: readonly string[]
}

/** The exposures of an adapter. */
export type ExposureOf = "dynamic" | "stable" | "meta" | "grouped"

/** All exposures, in display order. */
export const exposures: readonly ExposureOf[] = ["dynamic", "stable", "meta", "grouped"]

/** The parts of application data to show. */
export interface Shows {
  /** The arguments of calls. */
  readonly arguments: boolean
  /** The results of calls. */
  readonly results: boolean
  /** The values of states. */
  readonly values: boolean
}

/** A tool. */
export interface ToolRow {
  /** The tool's name. */
  readonly name: string
  /** The path of its service, as link keys from the root. */
  readonly path: readonly string[]
  /** The action's key. */
  readonly key: string
  /** The title for people. */
  readonly title?: string
  /** The first 300 characters of the description. */
  readonly description: string
  /** Labels such as `read only` or `destructive`. */
  readonly hints: readonly string[]
  /** Whether the tool is available now. */
  readonly available: boolean
  /** Why the tool is unavailable, if the service says. */
  readonly reason?: string
}

/** A state. */
export interface StateRow {
  /** The state's URI. */
  readonly uri: string
  /** The state's path and key, joined with `/`. */
  readonly name: string
  /** The path of its service, as link keys from the root. */
  readonly path: readonly string[]
  /** The state's description. */
  readonly description?: string
  /** The media type of the value. */
  readonly mimeType: string
  /** The catalogue's revision at the last observed change. */
  readonly revision: number
  /** The number of changes since the start. */
  readonly changes: number
  /** The value, if values are shown. */
  readonly value?: JsonValue
  /** Whether the value was shortened. */
  readonly cut?: true
}

/** A link. */
export interface LinkRow {
  /** The link's path, as link keys from the root. */
  readonly path: readonly string[]
  /** The path under which the target is listed; different from `path` if several links lead to it. */
  readonly canonical: readonly string[]
  /** The link's description. */
  readonly description?: string
  /** The target service's name. */
  readonly service: string
}

/** Changes of the lists, or of states' values. */
export interface ChangeFrame extends Stamped {
  /** Discriminates the frames. */
  readonly type: "change"
  /** The catalogue's revision after the change. */
  readonly revision: number
  /** Whether it is a remaining part of the start instead of an event. */
  readonly quiet?: true
  /** New and redefined tools. */
  readonly put?: readonly ToolRow[]
  /** Tools that are available again, unchanged. */
  readonly back?: readonly string[]
  /** Tools that became unavailable, with reasons. */
  readonly away?: readonly AwayRow[]
  /** Tools that are still unavailable, with other reasons. */
  readonly reasons?: readonly AwayRow[]
  /** The names of all built-in tools, sent when an exposure's built-in tools change. */
  readonly builtIns?: BuiltInNames
  /** Tools that no longer exist. */
  readonly gone?: readonly string[]
  /** New and redefined states. */
  readonly states?: readonly StateRow[]
  /** States that no longer exist. */
  readonly statesGone?: readonly string[]
  /** States with a new value. */
  readonly values?: readonly ValueRow[]
  /**
   * The paths of services whose identity has changed, such as another document under the same link. Their tools and states have
   * the same definitions.
   */
  readonly replaced?: readonly (readonly string[])[]
  /** New and retargeted links. */
  readonly links?: readonly LinkRow[]
  /** Links that no longer exist. */
  readonly linksGone?: readonly (readonly string[])[]
}

/** A state's new value. */
export interface ValueRow {
  /** The state's URI. */
  readonly uri: string
  /** The value, if values are shown. */
  readonly value?: JsonValue
  /** Whether the value was shortened. */
  readonly cut?: true
}

/** The current status of a call. A later frame with the same id replaces an earlier one. */
export interface CallFrame extends Stamped {
  /** Discriminates the frames. */
  readonly type: "call"
  /** The call's id. */
  readonly id: string
  /** The tool's name, as the caller used it. */
  readonly name: string
  /** The client as limits count it. A session id is hashed, because knowing it would allow the session to be used. */
  readonly client: string
  /** The client's own claim about its name and version. */
  readonly info?: InfoRow
  /** The principal, if known. */
  readonly principal?: string
  /** The transport and protocol era. */
  readonly leg: LegRow
  /** The status of the call. `handed` means that it is answered, and its action goes on as a task. */
  readonly status: "running" | "handed" | "asked" | "stuck" | "ok" | "failed" | "late"
  /** The newest progress of a task in words, if results are shown. */
  readonly progress?: string
  /** The arguments, if shown. */
  readonly args?: JsonValue
  /** The result, if shown, or the failure's message. */
  readonly result?: JsonValue
  /** Whether arguments or result were shortened. */
  readonly cut?: true
  /** The words of the questions to a person while the call waits for the answers, if arguments are shown. */
  readonly questions?: readonly string[]
  /** The failure's code. */
  readonly code?: string
  /** The duration in milliseconds. */
  readonly duration?: number
  /** The start time; see {@link Stamped.at}. */
  readonly began: number
  /** The catalogue's revision when the call started. */
  readonly before?: number
  /** The catalogue's revision when the call was settled, or when its client was told of changes. */
  readonly after?: number
  /** The changes between those two revisions, as clients get them: `+undo`, `-archive`, `~cards`. The first few only. */
  readonly changed?: readonly string[]
  /** The number of further changes. */
  readonly changedMore?: number
  /** Whether an earlier frame of the call had the same status already; this one adds changes. */
  readonly again?: true
}

/** A notification to clients. */
export interface NoticeFrame extends Stamped {
  /** Discriminates the frames. */
  readonly type: "notice"
  /** The changed list, or `updated` for a state's value. */
  readonly kind: "tools" | "known" | "resources" | "updated"
  /** The state's URI. */
  readonly uri?: string
}

/** A change of the listening clients. */
export interface ClientsFrame extends Stamped {
  /** Discriminates the frames. */
  readonly type: "clients"
  /** All listening clients, at most 200. */
  readonly clients: readonly ClientRow[]
  /** The number of further clients. */
  readonly more: number
}

/** A client that listens for changes. */
export interface ClientRow {
  /** The client as limits count it; see {@link CallFrame.client}. */
  readonly client: string
  /** The client's own claim about its name and version. */
  readonly info?: InfoRow
  /** The principal, if known. */
  readonly principal?: string
  /** The transport and protocol era. */
  readonly leg: LegRow
  /** The lists whose changes it receives. */
  readonly kinds: readonly string[]
  /** The first 20 states it subscribes to. */
  readonly uris: readonly string[]
}

/** A diagnostic for operators. */
export interface NoteFrame extends Stamped {
  /** Discriminates the frames. */
  readonly type: "note"
  /** The diagnostic's code. */
  readonly code: string
  /** The diagnostic's message. */
  readonly message: string
}

/** Reports calls that were left out. */
export interface SkippedFrame extends Stamped {
  /** Discriminates the frames. */
  readonly type: "skipped"
  /** How many calls were left out. */
  readonly calls: number
}

/** The connection of a client. */
export interface LegRow {
  /** The transport. */
  readonly transport: string
  /** The protocol era. */
  readonly era: "legacy" | "modern"
}

/** An unavailable tool. */
export interface AwayRow {
  /** The tool's name. */
  readonly name: string
  /** Why it is unavailable, if the service says. */
  readonly reason?: string
}

/** A client's own claim about itself. */
export interface InfoRow {
  /** The claimed name. */
  readonly name: string
  /** The claimed version. */
  readonly version: string
}
