/** The Messages API. */
export const anthropic = {
  matches: (path) => path.endsWith("/messages"),
  read({ tools = [], messages = [] }) {
    const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
    return {
      tools: tools.map(({ name, description, input_schema: schema }) => ({ name, description, schema })),
      results: blocks
        .filter(({ type }) => type === "tool_result")
        .map(({ content, is_error: isError = false }) => ({ text: toText(content), isError })),
    }
  },
  write(response, { text, call }, { stream }) {
    const block = call ? { type: "tool_use", id: call.id, name: call.name, input: call.args } : { type: "text", text }
    const stop = call ? "tool_use" : "end_turn"
    const message = {
      ...{ id: "msg_1", type: "message", role: "assistant", model: "scripted", stop_sequence: null },
      usage: { input_tokens: 1, output_tokens: 1 },
    }
    if (!stream) return sendJson(response, { ...message, content: [block], stop_reason: stop })
    const empty = call ? { ...block, input: {} } : { ...block, text: "" }
    const delta = call
      ? { type: "input_json_delta", partial_json: JSON.stringify(call.args) }
      : { type: "text_delta", text }
    sendEvents(response, [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: empty },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 1 } },
      { type: "message_stop" },
    ])
  },
}

/** Returns the text that a model reads from an answer's parts. */
export function toText(content) {
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return JSON.stringify(content) ?? ""
  return content.map((part) => part.text ?? `[${part.type}]`).join("\n")
}

/** Sends JSON. */
export function sendJson(response, body) {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
}

/** Sends server-sent events, named after their type if they have one. */
export function sendEvents(response, events, end = "") {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const event of events) {
    if (event.type !== undefined) response.write(`event: ${event.type}\n`)
    response.write(`data: ${JSON.stringify(event)}\n\n`)
  }
  response.end(end)
}
