// JavaScript, because a child process runs it too, on the built packages; tests run it on the sources.
import { action, content, createAgenticService } from "@x/agentic-service"
import { Subject } from "rxjs"

const PIXEL = new Uint8Array([1, 2, 3])

/** Creates a service with every kind of content, and an extension with the rest of MCP. */
export function createExtended() {
  const notices = new Subject()
  const service = createAgenticService({
    name: "extended",
    actions: {
      show: action({
        description: "Show every kind of content",
        execute: () =>
          content(undefined, [
            { type: "text", text: "see" },
            { type: "image", data: PIXEL, mimeType: "image/png" },
            { type: "audio", data: PIXEL, mimeType: "audio/wav" },
            { type: "resource", uri: "note://one", mimeType: "text/plain", text: "first" },
            { type: "resource_link", uri: "note://one", name: "one" },
          ]),
      }),
      notify: action({
        description: "Say that prompts and a note have changed",
        execute() {
          notices.next({ kind: "prompts" })
          notices.next({ kind: "updated", uri: "note://one" })
        },
      }),
    },
  })
  return { service, extension: { ...extension, notices } }
}

const extension = {
  capabilities: () => ({ logging: {}, prompts: { listChanged: true } }),
  hasResource: (uri) => uri === "note://one",
  methods: {
    "prompts/list": () => async () => ({ prompts: [{ name: "greet" }] }),
    "prompts/get":
      () =>
      async ({ name }) => {
        if (name === "broken") throw new Error("a secret")
        return { messages: [{ role: "user", content: { type: "text", text: "Greet me" } }] }
      },
    "completion/complete": () => async () => ({ completion: { values: ["paris"] } }),
    "resources/list": (own) => async (params, context) => {
      const { resources, ...page } = await own(params, context)
      return { ...page, resources: [...resources, { uri: "note://one", name: "one" }] }
    },
    "resources/read": (own) => async (params, context) =>
      params.uri === "note://one" ? { contents: [{ uri: params.uri, text: "first" }] } : own(params, context),
    "tools/list": (own) => async (params, context) => {
      const { tools: ours, ...page } = await own(params, context)
      return { ...page, tools: [...ours, ...Object.keys(tools).map((name) => ({ name, inputSchema: EMPTY }))] }
    },
    "tools/call": (own) => async (params, context) => (tools[params.name] ?? (() => own(params, context)))(context),
    "example/echo": () => async (params) => ({ echo: params.words }),
  },
}

const EMPTY = { type: "object", properties: {} }

const tools = {
  async log({ peer }) {
    peer.log("debug", "low")
    peer.log("warning", "high", "tests")
    return text("logged")
  },
  async elicit({ inputResponses, requestState }) {
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } }
    const asked = { method: "elicitation/create", params: { message: "Who?", requestedSchema } }
    if (inputResponses === undefined) {
      return { resultType: "input_required", inputRequests: { who: asked }, requestState: "asked" }
    }
    return text(`${inputResponses.who.content.name}, ${requestState}`)
  },
  async sample({ peer }) {
    if (peer.request === undefined) return text("cannot ask")
    const messages = [{ role: "user", content: { type: "text", text: "Say hello" } }]
    const { content: said } = await peer.request("sampling/createMessage", { messages, maxTokens: 10 })
    return text(said.text)
  },
}

function text(words) {
  return { content: [{ type: "text", text: words }] }
}
