import { isDeepStrictEqual } from "node:util"
import { load, named, thrownBy } from "./programs.mjs"

/**
 * The layers of Mastra, which rewrite a schema until a provider accepts it. From an already accepted schema they may only move
 * limits and patterns into descriptions, as they do with every schema. In other profiles they must only be able to read it.
 */
export const mastra = [
  layer("OpenAISchemaCompatLayer", { modelId: "gpt-4o", provider: "openai" }, ["openai-strict", "openai", "portable"]),
  layer("OpenAIReasoningSchemaCompatLayer", { modelId: "o3", provider: "openai" }, ["openai-strict", "portable"]),
  layer("GoogleSchemaCompatLayer", { modelId: "gemini-2.5", provider: "google" }, ["gemini", "portable"]),
  layer("AnthropicSchemaCompatLayer", { modelId: "claude-4", provider: "anthropic" }, ["anthropic", "portable"]),
]

/** The profiles whose schemas a layer must keep unchanged. */
const EXACT = new Set(["openai-strict", "gemini"])

function layer(name, model, profiles) {
  return {
    name: `${named("@mastra/schema-compat")}, ${name}`,
    profiles,
    refused: { type: "object", properties: { a: { $ref: "#/$defs/nowhere" }, b: { allOf: [null] } } },
    async judge(asked, profile) {
      const mastra = await load("@mastra/schema-compat")
      const compat = new mastra[name]({ ...model, supportsStructuredOutputs: true })
      return asked.map(({ schema }) =>
        thrownBy(() => {
          const given = JSON.parse(JSON.stringify(schema))
          const made = compat.processToJSONSchema(mastra.jsonSchema(structuredClone(given)))
          const isSame = isDeepStrictEqual(shapeOf(made), shapeOf(given))
          return !EXACT.has(profile) || isSame ? [] : [`made ${JSON.stringify(made).slice(0, 300)}`]
        }),
      )
    },
  }
}

/** Keywords that the layers move into descriptions for every model, and annotations. */
const WORDED = new Set([
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems"],
  ...["minLength", "maxLength", "pattern", "format", "description", "$schema"],
])

/** Returns a schema without these keywords, and without the alternatives to null that layers add to each reference. */
function shapeOf(schema) {
  if (Array.isArray(schema)) return schema.map(shapeOf)
  if (typeof schema !== "object" || schema === null) return schema
  const referring = referenceIn(schema)
  if (referring !== undefined) return { $ref: referring }
  const kept = Object.entries(schema).filter(
    ([keyword, value]) => !WORDED.has(keyword) && !(keyword === "required" && value.length === 0),
  )
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (["properties", "$defs"].includes(keyword)) return [keyword, mapValues(value)]
      return [keyword, ["items", "anyOf", "additionalProperties"].includes(keyword) ? shapeOf(value) : value]
    }),
  )
}

/** Returns a schema's reference, also from within alternatives to null. */
function referenceIn({ $ref, anyOf }) {
  if ($ref !== undefined) return $ref
  const others = (Array.isArray(anyOf) ? anyOf : []).filter(({ type }) => type !== "null")
  return others.length === 1 && anyOf.length === 2 ? referenceIn(others[0]) : undefined
}

function mapValues(schemas) {
  return Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, shapeOf(each)]))
}
