import type { Action, Hints } from "@x/agentic-service"
import type { ActionDefinition } from "@x/agentic-service/adapter"
import { type JsonSchema, type PublishedInput, publishOutput, SchemaError } from "@x/tool-schemas"
import { toJson, toWellFormed } from "@x/tool-schemas/json"
import type { Path } from "../names/path.js"
import type { ToolName } from "../names/tool-name.js"
import type { DiagnosticCode, Report } from "../runtime/diagnostic.js"
import type { StateEntry, ToolAnnotations, ToolDefinition, ToolEntry } from "./entry.js"
import type { CatalogueLimits } from "./listing.js"

/** Publishes input schemas in one way; those to be published as they are, as far as that way leaves anything as it is. */
export type PublishInput = (schema: JsonSchema | undefined, asIs: boolean) => PublishedInput

/** An action, and where it stands. */
interface PublishableTool {
  /** The service's canonical path. */
  readonly path: Path
  /** The action's key. */
  readonly key: string
  /** The name that it has. */
  readonly name: ToolName
  /** The identity of what the service stands for. */
  readonly thing: string
  /** What is fixed about the action. */
  readonly action: ActionDefinition
  /** Publishes its input. */
  readonly publishInput: PublishInput
  /** Looks the action up in the live map. */
  readonly current: () => Action | undefined
}

/**
 * Makes the entry that clients are shown.
 *
 * @throws SchemaError when the input or output schema cannot be published.
 */
export function publishTool(tool: PublishableTool): ToolEntry {
  const { action, path, key } = tool
  // A schema of a foreign definition is MCP's already.
  const input = tool.publishInput(action.schema, action.further !== undefined)
  const output = action.output === undefined ? undefined : publishOutput(action.output)
  const { name, encoded } = tool.name
  const title = action.title ?? (encoded ? [...path, key].join(" / ") : undefined)
  // A foreign definition may have anything: what is made here stands in its place, so that none passes itself off as another.
  const { annotations, ...further } = Object(toJson(action.further ?? {}))
  for (const member of MADE_HERE) delete further[member]
  const definition: ToolDefinition = Object.freeze({
    ...further,
    name,
    ...(title !== undefined && { title: toWellFormed(title) }),
    description: toWellFormed(describe(tool)),
    inputSchema: input.schema,
    ...(output !== undefined && { outputSchema: output.schema }),
    annotations: Object.freeze({ ...annotations, ...toAnnotations(action.hints ?? {}) }),
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
    toInput: input.toInput,
    toSentPlace: input.toSentPlace,
    output,
    current: tool.current,
  }
}

/** The members of a definition that are made of an action's own. */
const MADE_HERE = ["name", "title", "description", "inputSchema", "outputSchema", "_meta"]

/**
 * What it does; foreign services may not say, and a model needs something to go by. A model is shown no title, so what the name
 * lost of the path stands here too: of a hundred cards it could not tell which one this completes.
 */
function describe({ action, path, key, name: { name, encoded } }: PublishableTool): string {
  const said = typeof action.description === "string" ? action.description : ""
  const place = path.length === 0 ? `"${key}"` : `"${key}" of ${path.join(" / ")}`
  if (said === "") return `Runs ${place}`
  if (!encoded) return said
  const all = name.includes(key) ? path : [...path, key]
  return all.some((segment) => !name.includes(segment)) ? `${said} (${all.join(" / ")})` : said
}

function toAnnotations(hints: Hints): ToolAnnotations {
  return {
    ...(hints.readOnly !== undefined && { readOnlyHint: hints.readOnly }),
    ...(hints.destructive !== undefined && { destructiveHint: hints.destructive }),
    ...(hints.idempotent !== undefined && { idempotentHint: hints.idempotent }),
    ...(hints.openWorld !== undefined && { openWorldHint: hints.openWorld }),
  }
}

/**
 * Gives an entry back that is small enough to be listed.
 *
 * @throws TooLargeError when it takes more characters to describe than the limit.
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

/** A member takes more to describe than may be listed. */
class TooLargeError extends Error {
  /** Always `TooLargeError`. */
  override readonly name = "TooLargeError"
}

/** A member that cannot be published. */
interface BrokenMember {
  /** Which map it is in. */
  readonly kind: "action" | "state" | "link"
  /** The service it belongs to. */
  readonly path: Path
  /** Its key. */
  readonly key: string
  /** What was thrown. */
  readonly cause: unknown
}

/** Tells the operator that a member is left out and the rest served. */
export function reportBroken(report: Report, { kind, path, key, cause }: BrokenMember): void {
  report({
    code: toCode(cause),
    message: `${kind} "${key}" is left out: ${cause instanceof Error ? cause.message : String(cause)}`,
    path,
    key,
    cause,
  })
}

function toCode(cause: unknown): DiagnosticCode {
  if (cause instanceof TooLargeError) return "definition_too_large"
  return cause instanceof SchemaError ? "schema_unpublishable" : "member_invalid"
}
