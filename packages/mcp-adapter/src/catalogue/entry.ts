import type { Action, AgenticService, JsonSchema, State } from "@x/agentic-service"
import type { ObjectSchema, PublishedOutput, SchemaChange, ValuePath } from "@x/tool-schemas"
import { compareText } from "@x/tool-schemas/json"
import equal from "fast-deep-equal"
import { comparePaths, type Path } from "../names/path.js"

/** Whatever the catalogue lists. */
export type Entry = ToolEntry | StateEntry | LinkEntry

/** An action as it is published. The same object as long as what is published stays the same. */
export interface ToolEntry {
  /** Tells the entries apart. */
  readonly kind: "tool"
  /** The published name; the key of the entry. */
  readonly name: string
  /** The service that has the action, as link keys from the root. */
  readonly path: Path
  /** The action's key in its service. */
  readonly key: string
  /** The identity of what the service stood for when the entry was made: opaque, compared, never sent to a model. */
  readonly thing: string
  /** What clients are told; frozen. */
  readonly definition: ToolDefinition
  /** The input schema as the author wrote it; `undefined` when the action takes no input. */
  readonly schema: JsonSchema | undefined
  /** The one property that stands for the whole input, where the schema had no object at its root. */
  readonly wrapped: string | undefined
  /** What was done to the input schema for the clients' sake; see `publish.profile`. */
  readonly changes: readonly SchemaChange[]
  /** Undoes what publishing did to the shape of the input: arguments as clients send them → input as the action takes it. */
  toInput(args: Readonly<Record<string, unknown>>): unknown
  /** Finds the place in the arguments, as they were sent, that a place in the input comes from. */
  toSentPlace(path: ValuePath, args: Readonly<Record<string, unknown>>): ValuePath
  /** The output schema as it is published, and how a value comes to fit it; `undefined` where there is none. */
  readonly output: PublishedOutput | undefined
  /** The action behind the entry at this moment, looked up in the live map; `undefined` once it is gone. */
  current(): Action | undefined
}

/** What clients are told about a tool, in MCP's words. A `type` so that SDK result types accept it. */
export type ToolDefinition = {
  /** The name it is called by. */
  readonly name: string
  /** The name for people: the author's title, or the path and key where the name had to be encoded. */
  readonly title?: string
  /** What it does. */
  readonly description: string
  /** The published input schema: always an object at the root. */
  readonly inputSchema: ObjectSchema
  /** The published output schema: always an object at the root. */
  readonly outputSchema?: ObjectSchema
  /** The hints, in MCP's words. */
  readonly annotations: ToolAnnotations
  /** What is said to programs. */
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** MCP's tool annotations. */
export type ToolAnnotations = {
  /** Changes nothing. */
  readonly readOnlyHint?: boolean
  /** May destroy something; MCP's default is `true`. */
  readonly destructiveHint?: boolean
  /** Twice is the same as once. */
  readonly idempotentHint?: boolean
  /** Reaches beyond the application. */
  readonly openWorldHint?: boolean
}

/** A state as it is published. The same object as long as its definition stays the same; the value moves behind it. */
export interface StateEntry {
  /** Tells the entries apart. */
  readonly kind: "state"
  /** The resource URI; the key of the entry. */
  readonly uri: string
  /** The URI it has where it comes from, by which it is known as well. */
  readonly alias?: string
  /** The service that has the state, as link keys from the root. */
  readonly path: Path
  /** The state's key in its service. */
  readonly key: string
  /** The identity of what the service stood for when the entry was made; see {@link ToolEntry.thing}. */
  readonly thing: string
  /** What clients are told; frozen. */
  readonly definition: ResourceDefinition
  /** The state at this moment, looked up in the live map; `undefined` once it is hidden. */
  current(): State | undefined
}

/** What clients are told about a resource, in MCP's words. */
export type ResourceDefinition = {
  /** Where it is read. */
  readonly uri: string
  /** The path and key, joined with `/`. */
  readonly name: string
  /** The name for people, where there is one. */
  readonly title?: string
  /** What it tells. */
  readonly description?: string
  /** The media type of what a read answers. */
  readonly mimeType: string
}

/** A link as it can be listed. */
export interface LinkEntry {
  /** Tells the entries apart. */
  readonly kind: "link"
  /** The linked service's path through this link, as link keys from the root; the key of the entry. */
  readonly path: Path
  /** Where the service is listed: the same as {@link LinkEntry.path}, or another when this link is an alias. */
  readonly canonical: Path
  /** Why an agent would follow it. */
  readonly description?: string
  /** The linked service. */
  readonly service: AgenticService
  /** The identity of what that service stands for; see {@link ToolEntry.thing}. */
  readonly thing: string
}

/** What is on offer at one revision. Immutable; two reads with no change in between give the same object. */
export interface Snapshot {
  /** Grows with every change of what is listed or of a state's value. */
  readonly revision: number
  /** What can be called, sorted by name. */
  readonly tools: readonly ToolEntry[]
  /** What can be read, sorted by URI. */
  readonly states: readonly StateEntry[]
  /** What can be reached, sorted by path. */
  readonly links: readonly LinkEntry[]
}

/** What there is to choose from of targets, as a part of what tools are told by: no entry of its own. */
export interface TargetsPart {
  /** Tells it from entries. */
  readonly kind: "targets"
  /** Their keys. */
  readonly definition: readonly string[]
}

/** Whether two entries tell clients the same, whatever stands behind them. */
export function samePublished(a: Entry | TargetsPart, b: Entry | TargetsPart): boolean {
  if (a === b) return true
  if (a.kind === "link" || b.kind === "link") {
    if (a.kind !== "link" || b.kind !== "link") return false
    return a.description === b.description && equal(a.path, b.path) && equal(a.canonical, b.canonical)
  }
  return a.definition === b.definition || equal(a.definition, b.definition)
}

/** Whether two entries tell clients the same and stand for the same thing. */
export function sameEntry(a: Entry | TargetsPart, b: Entry | TargetsPart): boolean {
  if (!samePublished(a, b)) return false
  if (a.kind === "targets" || b.kind === "targets") return true
  // One name may be given to one action of a service after another.
  return a.thing === b.thing && keyOf(a) === keyOf(b)
}

function keyOf(entry: Entry): string | undefined {
  return entry.kind === "link" ? undefined : entry.key
}

/** Decides between two that claim the same: the alphabetically first path, then key, has the better claim. */
export function byPathAndKey(a: Pick<ToolEntry, "path" | "key">, b: Pick<ToolEntry, "path" | "key">): number {
  return comparePaths(a.path, b.path) || compareText(a.key, b.key)
}
