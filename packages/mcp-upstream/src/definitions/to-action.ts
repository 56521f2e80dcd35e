import { UriTemplate } from "@modelcontextprotocol/client"
import type { Action, ExecuteContext, Hints, Reply } from "@x/agentic-service"
import { isRecord } from "@x/base"
import type { Listed } from "../upstream.js"

/** Runs a tool or template of a server. */
export type Run = (target: Target, input: unknown, context: ExecuteContext) => Promise<Reply>

/** A tool or template with its server's identity. It never runs on another server. */
export interface Target {
  /** The tool or template. */
  readonly item: Listed
  /** The listing server's identity. */
  readonly thing: string
}

/** The parts of an action that its tool's definition does not have. */
export interface Naming {
  /** The name of the action's tool. Default: made from its path. */
  readonly toolName: string | undefined
  /** Whether the server may go on with a call as a task. */
  readonly long: boolean
}

/**
 * Converts a tool to an action, with its texts and schemas unchanged. The server validates the arguments; its errors are passed
 * on.
 */
export function toAction(target: Target, run: Run, { toolName, long }: Naming): Action {
  // All other members of the definition are passed on unchanged.
  const { name, title, description, inputSchema, outputSchema, annotations, _meta, ...rest } = target.item
  const notes = isRecord(annotations) ? annotations : {}
  const shown = [title, notes["title"]].find((each) => typeof each === "string" && each !== "")
  return {
    ...(typeof shown === "string" && { title: shown }),
    description: typeof description === "string" ? description : "",
    schema: isRecord(inputSchema) ? inputSchema : {},
    ...(isRecord(outputSchema) && { output: outputSchema }),
    hints: toHints(notes),
    ...(isRecord(_meta) && { meta: _meta }),
    further: { ...rest, annotations: notes },
    ...(isPlain(toolName) && { toolName }),
    ...(long && { long: TASKS_ONLY }),
    check: (input) => ({ ok: true, input }),
    execute: (input, context) => run(target, input, context),
  }
}

/** Returns whether a tool is for models. A tool can declare that it is for views alone (MCP Apps, `_meta.ui.visibility`). */
export function isForModels({ _meta }: Listed): boolean {
  const ui = isRecord(_meta) ? _meta["ui"] : undefined
  const visibility = isRecord(ui) ? ui["visibility"] : undefined
  return !Array.isArray(visibility) || visibility.includes("model")
}

/** A server keeps its definition, and a client without tasks is answered as the server itself answers it. */
const TASKS_ONLY = { tasksOnly: true } as const

/** Returns whether every vendor accepts the name. */
function isPlain(name: unknown): name is string {
  return typeof name === "string" && /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name)
}

function toHints(notes: Listed): Hints {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = notes
  return {
    ...(typeof readOnlyHint === "boolean" && { readOnly: readOnlyHint }),
    ...(typeof destructiveHint === "boolean" && { destructive: destructiveHint }),
    ...(typeof idempotentHint === "boolean" && { idempotent: idempotentHint }),
    ...(typeof openWorldHint === "boolean" && { openWorld: openWorldHint }),
  }
}

/** A template converted to an action. */
export interface TemplateAction {
  /** The action's key, made from the template's name, such as `read_page`. */
  readonly key: string
  /** The action. */
  readonly action: Action
}

/** Converts a template to a read-only action with one text argument for each variable. */
export function toTemplateAction(target: Target, run: Run): TemplateAction | undefined {
  const { uriTemplate, title, description } = target.item
  const variables = variablesOf(String(uriTemplate))
  if (variables === undefined) return undefined
  const about = typeof description === "string" && description !== "" ? `${description.replace(/[.\s]+$/, "")}. ` : ""
  const properties = Object.fromEntries(variables.map((variable) => [variable, { type: "string" }]))
  const action: Action = {
    ...(typeof title === "string" && { title }),
    description: `${about}Reads a resource at ${String(uriTemplate)}`,
    schema: { type: "object", properties, required: variables, additionalProperties: false },
    hints: { readOnly: true, destructive: false, idempotent: true },
    check(input) {
      const missing = variables.find((variable) => typeof Object(input)[variable] !== "string")
      if (missing === undefined) return { ok: true, input }
      return { ok: false, issues: [{ path: [missing], message: "expected a string" }] }
    },
    execute: (input, context) => run(target, input, context),
  }
  return { key: templateKey(target.item), action }
}

/** Returns the key of a template's action, such as `read_page`. */
export function templateKey({ name, uriTemplate }: Listed): string {
  return `read_${toWord(name) || toWord(uriTemplate)}`
}

/** Converts a template's name, which is often written for people, to characters allowed in a tool name. */
function toWord(name: unknown): string {
  return typeof name === "string"
    ? name
        .replace(/[^A-Za-z0-9]+/g, "_")
        .replace(/^_|_$/g, "")
        .toLowerCase()
    : ""
}

function variablesOf(template: string): string[] | undefined {
  try {
    return [...new Set(new UriTemplate(template).variableNames)]
  } catch {
    return undefined
  }
}

/** Returns the URI that a template expands to. */
export function expand(template: Listed, input: unknown): string {
  return new UriTemplate(String(template["uriTemplate"])).expand(Object(input))
}

/** Returns whether a template can expand to a URI. */
export function matches(template: Listed, uri: string): boolean {
  try {
    return new UriTemplate(String(template["uriTemplate"])).match(uri) !== null
  } catch {
    return false
  }
}
