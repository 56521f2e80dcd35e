import type { CallContext, MethodExtension, Params, Result } from "@x/mcp-adapter"

/** A tool as MCP defines it, for protocol features that actions lack. */
export interface RawTool {
  /** Unique, also among the tools of the service. */
  readonly name: string
  /** The description. */
  readonly description: string
  /** Its input schema, published unchanged. Default: nothing. */
  readonly inputSchema?: Readonly<Record<string, unknown>>
  /** Answers a call. */
  call(args: Params, context: CallContext): Promise<Result>
}

/** Adds tools to a service's own. They are listed last, and looked up first. */
export function rawToolMethods(tools: readonly RawTool[]): Readonly<Record<string, MethodExtension>> {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const listed = tools.map(({ name, description, inputSchema = NOTHING }) => ({ name, description, inputSchema }))
  return {
    "tools/list": (own) => async (params, context) => append(await own(params, context), "tools", listed),
    "tools/call": (own) => async (params, context) => {
      const tool = byName.get(String(params["name"]))
      return tool === undefined ? own(params, context) : tool.call(toObject(params["arguments"]), context)
    },
  }
}

/** Adds to the last page of a list. */
export function append(page: Result, key: string, items: readonly object[]): Result {
  const listed = page[key]
  return page["nextCursor"] === undefined
    ? { ...page, [key]: [...(Array.isArray(listed) ? listed : []), ...items] }
    : page
}

/** Returns an object, even for a missing or invalid value. */
export function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {}
}

/** A tool's result. */
export function text(words: string): Result {
  return { content: [{ type: "text", text: words }] }
}

const NOTHING = { type: "object", properties: {}, additionalProperties: false }
