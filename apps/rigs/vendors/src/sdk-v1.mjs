import { isDeepStrictEqual } from "node:util"
import { load, named } from "./programs.mjs"

/** Validates a tool list with SDK v1's types, on which most clients are built: they accept the whole list or reject it. */
export const sdkV1 = {
  name: named("@modelcontextprotocol/sdk"),
  profiles: "all",
  refused: { type: "object", properties: { a: true } },
  async judge(asked, profile) {
    const { ListToolsResultSchema } = await load("@modelcontextprotocol/sdk/types.js")
    return asked.map(({ schema }) => {
      const given = JSON.parse(JSON.stringify(schema))
      const { success, data, error } = ListToolsResultSchema.safeParse({
        tools: [{ name: "tool", inputSchema: given }],
      })
      if (!success) return [`refused: ${error.message.slice(0, 200)}`]
      const [{ inputSchema }] = data.tools
      // The types drop a property named `__proto__`, which only the verbatim profile keeps.
      if (profile === "verbatim" && JSON.stringify(given).includes('"__proto__"')) return []
      return isDeepStrictEqual(inputSchema, given) ? [] : [`read ${JSON.stringify(inputSchema).slice(0, 300)}`]
    })
  },
}
