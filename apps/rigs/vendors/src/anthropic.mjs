import { isDeepStrictEqual } from "node:util"
import { load, named, thrownBy } from "./programs.mjs"

/** Converts a tool with Anthropic's MCP helper, which leaves the schema unchanged. */
export const anthropic = {
  name: named("@anthropic-ai/sdk"),
  profiles: ["anthropic", "portable"],
  refused: { type: "array", items: { type: "string" } },
  async judge(asked) {
    const { mcpTool } = await load("@anthropic-ai/sdk/helpers/beta/mcp")
    return asked.map(({ schema }) =>
      thrownBy(() => {
        const { input_schema: made } = mcpTool({ name: "tool", description: "A tool", inputSchema: schema }, {})
        const wanted = { ...schema, required: schema.required ?? null }
        return isDeepStrictEqual(made, wanted) ? [] : [`made ${JSON.stringify(made).slice(0, 300)}`]
      }),
    )
  },
}
