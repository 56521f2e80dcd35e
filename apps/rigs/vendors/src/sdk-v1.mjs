import { isDeepStrictEqual } from "node:util"
import { load, named } from "./programs.mjs"

/** What the types of the SDK that most clients are built on take of a list of tools: all of it, or nothing. */
export const sdkV1 = {
  name: named("@modelcontextprotocol/sdk"),
  profiles: ["portable", "anthropic", "openai", "openai-strict", "gemini", "verbatim"],
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
      // A property of that name is lost in them; as the author means it, it stays.
      if (profile === "verbatim" && JSON.stringify(given).includes('"__proto__"')) return []
      return isDeepStrictEqual(inputSchema, given) ? [] : [`read ${JSON.stringify(inputSchema).slice(0, 300)}`]
    })
  },
}
