import { isDeepStrictEqual } from "node:util"
import { load, named, thrownBy } from "./programs.mjs"

/** What OpenAI's SDK makes strict, or refuses to; a schema that is strict already stays as it is. */
export const openaiStrict = {
  name: named("openai"),
  profiles: ["openai-strict"],
  refused: { type: "object", properties: { a: { type: "string" } }, required: [], additionalProperties: false },
  async judge(asked) {
    const { toStrictJsonSchema } = await load("openai/lib/transform")
    return asked.map(({ schema }) =>
      thrownBy(() => {
        const made = toStrictJsonSchema(structuredClone(schema))
        return isDeepStrictEqual(toJson(made), toJson(schema)) ? [] : [`made ${JSON.stringify(made).slice(0, 300)}`]
      }),
    )
  },
}

function toJson(schema) {
  return JSON.parse(JSON.stringify(schema))
}
