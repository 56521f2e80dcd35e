import { sendEvents, sendJson, toText } from "./anthropic.mjs"

/** The Chat Completions API. */
export const completions = {
  matches: (path) => path.endsWith("/chat/completions"),
  read({ tools = [], messages = [] }) {
    return {
      tools: tools.flatMap(({ function: tool }) =>
        tool ? [{ name: tool.name, description: tool.description, schema: tool.parameters }] : [],
      ),
      // This API has no field for errors.
      results: messages.filter(({ role }) => role === "tool").map(({ content }) => ({ text: toText(content) })),
    }
  },
  write(response, { text, call }, { stream }) {
    const calls = call && [
      { index: 0, id: call.id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.args) } },
    ]
    const message = { role: "assistant", content: call ? null : text, ...(calls && { tool_calls: calls }) }
    const finish = call ? "tool_calls" : "stop"
    const base = { id: "chatcmpl-1", created: 1, model: "scripted" }
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    if (!stream) {
      const choices = [{ index: 0, message, finish_reason: finish }]
      return sendJson(response, { ...base, object: "chat.completion", choices, usage })
    }
    const chunk = (delta, reason = null) => ({
      ...base,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: reason }],
    })
    const last = { ...base, object: "chat.completion.chunk", choices: [], usage }
    sendEvents(response, [chunk(message), chunk({}, finish), last], "data: [DONE]\n\n")
  },
}

/** The Responses API. */
export const responses = {
  matches: (path) => path.endsWith("/responses"),
  read({ tools = [], input = [] }) {
    const flat = tools.flatMap((tool) => (tool.type === "namespace" ? inNamespace(tool) : [tool]))
    const items = Array.isArray(input) ? input : []
    return {
      tools: flat.flatMap(({ name, description, parameters: schema, namespace }) =>
        name === undefined ? [] : [{ name, description, schema, namespace }],
      ),
      results: items
        .filter(({ type }) => type === "function_call_output")
        .map(({ output }) => ({ text: toText(output) })),
    }
  },
  write(response, { text, call }, { stream }) {
    const item = call
      ? {
          ...{ type: "function_call", id: "fc_1", call_id: call.id, name: call.name, status: "completed" },
          ...(call.namespace && { namespace: call.namespace }),
          arguments: JSON.stringify(call.args),
        }
      : {
          ...{ type: "message", id: "msg_1", role: "assistant", status: "completed" },
          content: [{ type: "output_text", text, annotations: [] }],
        }
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
    const done = { id: "resp_1", object: "response", created_at: 1, model: "scripted", status: "completed", usage }
    if (!stream) return sendJson(response, { ...done, output: [item] })
    sendEvents(response, [
      { type: "response.created", response: { ...done, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { ...done, output: [item] } },
    ])
  },
}

function inNamespace({ name: namespace, tools }) {
  return tools.map((tool) => ({ ...tool, namespace }))
}
