import { isDeepStrictEqual } from "node:util"
import { load, named, thrownBy } from "./programs.mjs"

/** Makes a schema strict with OpenAI's SDK, which may throw. A schema that is already strict must stay unchanged. */
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
