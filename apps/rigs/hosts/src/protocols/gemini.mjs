import { sendEvents, sendJson } from "./anthropic.mjs"

/** The API of Gemini. */
export const gemini = {
  matches: (path) => /:(?:streamG|g)enerateContent$/.test(path),
  read({ tools = [], contents = [] }) {
    const parts = contents.flatMap(({ parts = [] }) => parts)
    return {
      tools: tools
        .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
        .map(({ name, description, parametersJsonSchema, parameters }) => {
          return { name, description, schema: parametersJsonSchema ?? parameters }
        }),
      results: parts
        .filter(({ functionResponse }) => functionResponse !== undefined)
        .map(({ functionResponse: { response } }) => {
          return { text: response.output ?? JSON.stringify(response), isError: response.error !== undefined }
        }),
    }
  },
  write(response, { text, call }, { path }) {
    const part = call ? { functionCall: { id: call.id, name: call.name, args: call.args } } : { text }
    const candidates = [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }]
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
    const body = { candidates, usageMetadata, modelVersion: "scripted" }
    if (path.includes("stream")) sendEvents(response, [body])
    else sendJson(response, body)
  },
}
