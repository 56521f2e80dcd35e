import type { Action, AgenticService, JsonSchema, State } from "@x/agentic-service"
import { compareText } from "@x/base"
import type { ObjectSchema, ParamHeader, PublishedOutput, SchemaChange, ValuePath } from "@x/tool-schemas"
import equal from "fast-deep-equal"
import { comparePaths, type Path } from "../names/path.js"

/** Any entry of a catalogue. */
export type Entry = ToolEntry | StateEntry | LinkEntry

/** An action as published. The object stays the same while its published definition does. */
export interface ToolEntry {
  /** The discriminant. */
  readonly kind: "tool"
  /** The published name; the entry's key. */
  readonly name: string
  /** The action's service, as link keys from the root. */
  readonly path: Path
  /** The action's key in its service. */
  readonly key: string
  /** The identity of the service instance behind this entry: opaque, only compared, never sent to a model. */
  readonly thing: string
  /** The definition for clients; frozen. */
  readonly definition: ToolDefinition
  /** The author's input schema; `undefined` when the action takes no input. */
  readonly schema: JsonSchema | undefined
  /** The property that holds the whole input, for schemas without an object at their root. */
  readonly wrapped: string | undefined
  /** Changes made to the input schema for clients; see `publish.profile`. */
  readonly changes: readonly SchemaChange[]
  /** Arguments that modern clients over HTTP repeat in headers. */
  readonly headers: readonly ParamHeader[]
  /** The reason why the author's headers are not published. */
  readonly headerFault?: string | undefined
  /** Converts arguments as clients send them into the action's input. */
  toInput(args: Readonly<Record<string, unknown>>): unknown
  /** Maps a place in the input to the corresponding place in the sent arguments. */
  toSentPlace(path: ValuePath, args: Readonly<Record<string, unknown>>): ValuePath
  /** The published output schema, with the conversion that makes values fit it; `undefined` without a schema. */
  readonly output: PublishedOutput | undefined
  /** Whether the action may outlast the caller's request, so that a call may be answered with a handle. */
  readonly long?: true
  /** Returns the current action from the live map, or `undefined` once it is gone. */
  current(): Action | undefined
}

/** A tool's definition for clients, in MCP's shape. A `type`, so that SDK result types accept it. */
export type ToolDefinition = {
  /** The tool's name. */
  readonly name: string
  /** The display name: the author's title, or path and key when the name is encoded. */
  readonly title?: string
  /** The tool's description. */
  readonly description: string
  /** The published input schema; its root is always an object. */
  readonly inputSchema: ObjectSchema
  /** The published output schema; its root is always an object. */
  readonly outputSchema?: ObjectSchema
  /** The hints, in MCP's shape. */
  readonly annotations: ToolAnnotations
  /** Metadata for programs. */
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** MCP's tool annotations. */
export type ToolAnnotations = {
  /** Whether the tool changes nothing. */
  readonly readOnlyHint?: boolean
  /** Whether the tool may destroy something; MCP's default is `true`. */
  readonly destructiveHint?: boolean
  /** Whether repeating a call has no further effect. */
  readonly idempotentHint?: boolean
  /** Whether the tool reaches beyond the application. */
  readonly openWorldHint?: boolean
}

/** A state as published. The object stays the same while its definition does, whatever its value. */
export interface StateEntry {
  /** The discriminant. */
  readonly kind: "state"
  /** The resource URI; the entry's key. */
  readonly uri: string
  /** The URI at its origin, by which clients may read it as well. */
  readonly alias?: string
  /** The state's service, as link keys from the root. */
  readonly path: Path
  /** The state's key in its service. */
  readonly key: string
  /** The identity of the service instance behind this entry; see {@link ToolEntry.thing}. */
  readonly thing: string
  /** The definition for clients; frozen. */
  readonly definition: ResourceDefinition
  /** Returns the current state from the live map, or `undefined` once it is hidden. */
  current(): State | undefined
}

/** A resource's definition for clients, in MCP's shape. */
export type ResourceDefinition = {
  /** The URI to read. */
  readonly uri: string
  /** The path and key, joined with `/`. */
  readonly name: string
  /** The display name, if any. */
  readonly title?: string
  /** The state's description. */
  readonly description?: string
  /** The media type of its contents. */
  readonly mimeType: string
}

/** A listed link. */
export interface LinkEntry {
  /** The discriminant. */
  readonly kind: "link"
  /** The linked service's path through this link, as link keys from the root; the entry's key. */
  readonly path: Path
  /** The path under which the service is listed. Equals {@link LinkEntry.path} unless this link is an alias. */
  readonly canonical: Path
  /** The reason to follow the link. */
  readonly description?: string
  /** The linked service. */
  readonly service: AgenticService
  /** The identity of that service's instance; see {@link ToolEntry.thing}. */
  readonly thing: string
}

/** All entries at one revision. Immutable; reads without a change in between return the same object. */
export interface Snapshot {
  /** The revision. Grows with every change of the lists or of a state's value. */
  readonly revision: number
  /** Callable tools, sorted by name. */
  readonly tools: readonly ToolEntry[]
  /** Readable states, sorted by URI. */
  readonly states: readonly StateEntry[]
  /** Reachable links, sorted by path. */
  readonly links: readonly LinkEntry[]
}

/** The choice of targets as a part of tool definitions; no entry of its own. */
export interface TargetsPart {
  /** The discriminant. */
  readonly kind: "targets"
  /** The targets' keys. */
  readonly definition: readonly string[]
}

/** Checks whether two entries have the same published definition, regardless of their instances. */
export function samePublished(a: Entry | TargetsPart, b: Entry | TargetsPart): boolean {
  if (a === b) return true
  if (a.kind === "link" || b.kind === "link") {
    if (a.kind !== "link" || b.kind !== "link") return false
    return a.description === b.description && equal(a.path, b.path) && equal(a.canonical, b.canonical)
  }
  if (a.kind === "tool" && b.kind === "tool" && a.long !== b.long) return false
  return a.definition === b.definition || equal(a.definition, b.definition)
}

/** Checks whether two entries have the same published definition and the same instance. */
export function sameEntry(a: Entry | TargetsPart, b: Entry | TargetsPart): boolean {
  if (!samePublished(a, b)) return false
  if (a.kind === "targets" || b.kind === "targets") return true
  // A service may give one name to different actions in turn.
  return a.thing === b.thing && keyOf(a) === keyOf(b)
}

function keyOf(entry: Entry): string | undefined {
  return entry.kind === "link" ? undefined : entry.key
}

/** Orders competing claims: the alphabetically first path, then key, wins. */
export function byPathAndKey(a: Pick<ToolEntry, "path" | "key">, b: Pick<ToolEntry, "path" | "key">): number {
  return comparePaths(a.path, b.path) || compareText(a.key, b.key)
}
