import type { Action, Hints } from "@x/agentic-service"
import type { ActionDefinition } from "@x/agentic-service/adapter"
import { toJson, toMessage, toWellFormed } from "@x/base"
import { type JsonSchema, type PublishedInput, publishOutput, SchemaError } from "@x/tool-schemas"
import type { Path } from "../names/path.js"
import type { ToolName } from "../names/tool-name.js"
import type { DiagnosticCode, Report } from "../runtime/diagnostic.js"
import type { StateEntry, ToolAnnotations, ToolDefinition, ToolEntry } from "./entry.js"
import type { CatalogueLimits } from "./listing.js"
import { toLongOutput } from "./long-output.js"

/** Publishes an input schema. With `asIs` it is kept unchanged as far as the profile allows. */
export type PublishInput = (schema: JsonSchema | undefined, asIs: boolean) => PublishedInput

/** An action, ready to publish. */
interface PublishableTool {
  /** The service's canonical path. */
  readonly path: Path
  /** The action's key. */
  readonly key: string
  /** The assigned name. */
  readonly name: ToolName
  /** The identity of the service's instance. */
  readonly thing: string
  /** The action's definition. */
  readonly action: ActionDefinition
  /** Publishes its input schema. */
  readonly publishInput: PublishInput
  /** Returns the current action from the live map. */
  readonly current: () => Action | undefined
}

/**
 * Creates a tool's entry.
 *
 * @throws SchemaError if the input or output schema cannot be published.
 */
export function publishTool(tool: PublishableTool): ToolEntry {
  const { action, path, key } = tool
  // A foreign definition's schemas are already MCP's.
  const asIs = action.further !== undefined
  const input = tool.publishInput(action.schema, asIs)
  const output = action.output === undefined ? undefined : publishOutput(action.output, { asIs })
  const { name, encoded } = tool.name
  const title = action.title ?? (encoded ? [...path, key].join(" / ") : undefined)
  const { annotations, ...further } = toFurther(action)
  const definition: ToolDefinition = Object.freeze({
    ...further,
    name,
    ...(title !== undefined && { title: toWellFormed(title) }),
    description: toWellFormed(describe(tool)),
    inputSchema: input.schema,
    ...(output !== undefined && {
      outputSchema: mayReturnHandle(action) ? toLongOutput(output.schema) : output.schema,
    }),
    annotations: toAnnotations(action.hints ?? {}, annotations),
    ...(action.meta !== undefined && { _meta: Object.freeze(Object(toJson(action.meta))) }),
  })
  return {
    kind: "tool",
    name,
    path,
    key,
    thing: tool.thing,
    definition,
    schema: action.schema,
    wrapped: input.wrapped,
    changes: input.changes,
    headers: input.headers,
    headerFault: input.headerFault,
    toInput: input.toInput,
    toSentPlace: input.toSentPlace,
    output,
    ...(mayReturnHandle(action) && { long: true as const }),
    current: tool.current,
  }
}

/** Whether a call of an action may be answered with a handle, for which the client comes back. */
export function mayReturnHandle({ long }: ActionDefinition): boolean {
  return typeof long === "object" ? long.tasksOnly !== true : long !== undefined
}

/**
 * Returns the further members of a foreign definition, which may contain anything. Members created here replace its own, so that
 * no tool can pose as another.
 */
function toFurther({ further }: ActionDefinition): {
  readonly annotations?: object
  readonly [member: string]: unknown
} {
  if (further === undefined) return NOTHING_FURTHER
  const members = Object.entries(Object(toJson(further)))
  return Object.fromEntries(members.filter(([member]) => !MADE_HERE.includes(member)))
}

const NOTHING_FURTHER = Object.freeze({})

/** Members of a definition that are created from the action's own fields. */
const MADE_HERE = ["name", "title", "description", "inputSchema", "outputSchema", "_meta"]

/**
 * Returns the description, with a fallback for foreign services, since a model needs one. Models see no title, so path segments
 * missing from the name are added: among a hundred cards, a model could not tell which one a tool completes.
 */
function describe({ action, path, key, name: { name, encoded } }: PublishableTool): string {
  const said = typeof action.description === "string" ? action.description : ""
  const place = path.length === 0 ? `"${key}"` : `"${key}" of ${path.join(" / ")}`
  if (said === "") return `Runs ${place}`
  if (!encoded) return said
  const all = name.includes(key) ? path : [...path, key]
  return all.some((segment) => !name.includes(segment)) ? `${said} (${all.join(" / ")})` : said
}

/** Returns the annotations of an action. Actions with the same hints share one object, as they number by the thousands. */
function toAnnotations(hints: Hints, more: object | undefined): ToolAnnotations {
  const { readOnly, destructive, idempotent, openWorld } = hints
  const own = {
    ...(readOnly !== undefined && { readOnlyHint: readOnly }),
    ...(destructive !== undefined && { destructiveHint: destructive }),
    ...(idempotent !== undefined && { idempotentHint: idempotent }),
    ...(openWorld !== undefined && { openWorldHint: openWorld }),
  }
  if (more !== undefined) return Object.freeze({ ...more, ...own })
  const found = Object.values(own).every((hint) => typeof hint === "boolean") ? JSON.stringify(own) : undefined
  const shared = (found !== undefined && annotationsOf.get(found)) || Object.freeze(own)
  if (found !== undefined) annotationsOf.set(found, shared)
  return shared
}

/** The annotations by their JSON: at most 81. */
const annotationsOf = new Map<string, ToolAnnotations>()

/**
 * Returns an entry that is small enough to list.
 *
 * @throws TooLargeError if its definition exceeds the limit of characters.
 */
export function assertSmall<Listed extends ToolEntry | StateEntry>(
  entry: Listed,
  { definitionChars }: Pick<CatalogueLimits, "definitionChars">,
): Listed {
  const size = JSON.stringify(entry.definition).length
  if (size <= definitionChars) return entry
  throw new TooLargeError(
    `its definition has ${size} characters, more than ${definitionChars}: shorten it, or raise "limits.definitionChars"`,
  )
}

/** The error of a definition that is too large to list. */
class TooLargeError extends Error {
  /** Always `TooLargeError`. */
  override readonly name = "TooLargeError"
}

/** A member that cannot be published. */
interface BrokenMember {
  /** The kind of member. */
  readonly kind: "action" | "state" | "link"
  /** The service's path. */
  readonly path: Path
  /** The member's key. */
  readonly key: string
  /** The thrown value. */
  readonly cause: unknown
}

/** Reports to the operator that a member is left out. */
export function reportBroken(report: Report, { kind, path, key, cause }: BrokenMember): void {
  report({
    code: toCode(cause),
    message: `${kind} "${key}" is left out: ${toMessage(cause)}`,
    path,
    key,
    cause,
  })
}

function toCode(cause: unknown): DiagnosticCode {
  if (cause instanceof TooLargeError) return "definition_too_large"
  return cause instanceof SchemaError ? "schema_unpublishable" : "member_invalid"
}
