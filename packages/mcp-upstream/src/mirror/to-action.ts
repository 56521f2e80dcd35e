import { UriTemplate } from "@modelcontextprotocol/client"
import type { Action, ExecuteContext, Hints, Reply } from "@x/agentic-service"
import { isRecord } from "@x/tool-schemas/json"
import type { Listed } from "../upstream.js"

/** Runs something of a server. */
export type Run = (target: Target, input: unknown, context: ExecuteContext) => Promise<Reply>

/** A tool or template, and what its upstream stood for when it was listed: it never runs on anything else. */
export interface Target {
  /** The tool or template. */
  readonly item: Listed
  /** The identity of what the upstream stood for. */
  readonly thing: string
}

/**
 * Makes an action of a tool, with its words and schemas as they came. What it takes is for its server to check, whose errors
 * are passed on.
 */
export function toAction(target: Target, run: Run, toolName: string | undefined): Action {
  // Whatever else a definition has is told as it came.
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
    check: (input) => ({ ok: true, input }),
    execute: (input, context) => run(target, input, context),
  }
}

/** Whether a tool is for models. One can say that it is for views alone (MCP Apps, `_meta.ui.visibility`). */
export function isForModels({ _meta }: Listed): boolean {
  const ui = isRecord(_meta) ? _meta["ui"] : undefined
  const visibility = isRecord(ui) ? ui["visibility"] : undefined
  return !Array.isArray(visibility) || visibility.includes("model")
}

/** What every vendor takes as a name. */
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

/** A template as an action that reads what it leads to. */
export interface TemplateAction {
  /** The key of the action: made of the template's name, such as `read_page`. */
  readonly key: string
  /** The action. */
  readonly action: Action
}

/** Makes a read-only action of a template: one text for each of its variables. */
export function toTemplateAction(target: Target, run: Run): TemplateAction | undefined {
  const { uriTemplate, name, title, description } = target.item
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
  return { key: `read_${toWord(name) || toWord(uriTemplate)}`, action }
}

/** What can stand in a name: names of templates are often for people. */
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

/** The URI that a template makes of its variables. */
export function expand(template: Listed, input: unknown): string {
  return new UriTemplate(String(template["uriTemplate"])).expand(Object(input))
}

/** Whether a template can make a URI. */
export function matches(template: Listed, uri: string): boolean {
  try {
    return new UriTemplate(String(template["uriTemplate"])).match(uri) !== null
  } catch {
    return false
  }
}
