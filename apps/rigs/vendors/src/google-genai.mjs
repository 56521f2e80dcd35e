import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { isDeepStrictEqual } from "node:util"
import { load, named, programs } from "./programs.mjs"

/** Checks that Google's client sends a schema completely, and with no fields that its types lack. */
export const googleGenai = {
  name: named("@google/genai"),
  profiles: ["gemini"],
  refused: { type: "object", properties: { a: { type: "null" } } },
  async judge(asked) {
    const { GoogleGenAI } = await load("@google/genai")
    const { server, url, sent } = await listen()
    const client = new GoogleGenAI({ apiKey: "none", vertexai: false, httpOptions: { baseUrl: url } })
    const fields = fieldsOfSchema()
    const found = []
    for (const { schema } of asked) found.push(await judgeOne({ client, schema, sent, fields }))
    server.close()
    server.closeAllConnections()
    return found
  },
}

async function judgeOne({ client, schema, sent, fields }) {
  const given = JSON.parse(JSON.stringify(schema))
  const declaration = { name: "tool", description: "A tool", parameters: structuredClone(given) }
  try {
    await client.models.generateContent({
      model: "gemini-2.5-flash",
      contents: "Go on",
      config: { tools: [{ functionDeclarations: [declaration] }] },
    })
  } catch (error) {
    return [`refused: ${error instanceof Error ? error.message.slice(0, 200) : error}`]
  }
  const { parameters } = sent.pop().tools[0].functionDeclarations[0]
  const strange = strangeFields(parameters, fields).map((field) => `${field} is not a field of Schema`)
  const isWhole = isDeepStrictEqual(lowerTypes(parameters), given)
  return [...strange, ...(isWhole ? [] : [`sent ${JSON.stringify(parameters).slice(0, 300)}`])]
}

/** Starts a server that answers every request and records the bodies. */
async function listen() {
  const sent = []
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    sent.push(JSON.parse(Buffer.concat(chunks).toString()))
    response.setHeader("content-type", "application/json")
    response.end('{"candidates":[{"content":{"role":"model","parts":[{"text":"Yes"}]}}]}')
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { server, url: `http://127.0.0.1:${server.address().port}`, sent }
}

/** Returns the fields of a schema, read from the package's own types. */
function fieldsOfSchema() {
  const types = readFileSync(join(programs, "node_modules", "@google", "genai", "dist", "genai.d.ts"), "utf8")
  const [, body] = /export declare interface Schema \{\r?\n([\s\S]*?)\r?\n\}/.exec(types)
  return new Set([...body.matchAll(/^ {4}(\w+)\?:/gm)].map(([, field]) => field))
}

function strangeFields(schema, fields) {
  const { properties = {}, items, anyOf = [] } = schema
  const below = [...Object.values(properties), ...(items ? [items] : []), ...anyOf]
  return [
    ...Object.keys(schema).filter((field) => !fields.has(field)),
    ...below.flatMap((each) => strangeFields(each, fields)),
  ]
}

function lowerTypes({ type, properties, items, anyOf, ...rest }) {
  return {
    ...rest,
    ...(type && { type: type.toLowerCase() }),
    ...(items && { items: lowerTypes(items) }),
    ...(anyOf && { anyOf: anyOf.map(lowerTypes) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, lowerTypes(each)])),
    }),
  }
}
