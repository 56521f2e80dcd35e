// An SDK server that records, as lines of JSON, every question, its caller, every answer and every run. As a command (`stdio`)
// it writes to standard error; over HTTP (`http legacy`, `http modern`) to standard output, its port first.
import { existsSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import process from "node:process"
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server"
import { serveStdio } from "@modelcontextprotocol/server/stdio"
import { z } from "zod"

const [way = "stdio", era = "auto"] = process.argv.slice(2)
// A restarted command may run another program.
const { NAME = "witness", ABOUT = "pay", MARK, AGAIN_NAME = NAME, AGAIN_ABOUT = ABOUT } = process.env
const again = MARK !== undefined && existsSync(MARK)
if (MARK !== undefined) writeFileSync(MARK, "")
const by = again ? AGAIN_NAME : NAME
const write = way === "stdio" ? process.stderr : process.stdout
const record = (what) => write.write(`${JSON.stringify(what)}\n`)

const held = new Map()
const WHO = z.object({ who: z.string() })
const form = { type: "object", properties: { pin: { type: "string" } }, required: ["pin"] }
const FROM_CLIENT = {
  sample: (who) =>
    inputRequired.createMessage({
      messages: [{ role: "user", content: { type: "text", text: `What does ${who}\u202E think?` } }],
      systemPrompt: "Be brief.",
      includeContext: "allServers",
      maxTokens: 10,
    }),
  where: () => inputRequired.listRoots(),
  page: (who) => inputRequired.elicitUrl({ message: `Sign in, ${who}`, url: `https://bank.example/${who}` }),
}
const text = (value) => ({ content: [{ type: "text", text: JSON.stringify(value) }] })

function createWitness() {
  const server = new McpServer(
    { name: by, version: "1.0.0" },
    { capabilities: { logging: {}, resources: { subscribe: true } } },
  )
  const tool = (name, run) => server.registerTool(name, { description: name, inputSchema: WHO }, run)
  const tell = async ({ mcpReq }, who, what) => {
    const progressToken = mcpReq._meta?.progressToken
    if (progressToken !== undefined)
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress: 1, message: `${what} ${who}` },
      })
    await mcpReq.notify({ method: "notifications/message", params: { level: "info", data: `${what} ${who}` } })
  }
  /** Asks through the answer, as in the modern era; the SDK asks in the middle of a legacy call. */
  tool("ask", async ({ who }, context) => {
    await tell(context, who, "begun")
    const answer = acceptedContent(context.mcpReq.inputResponses, "pin")
    if (answer === undefined && context.mcpReq.inputResponses === undefined) {
      record({ asks: who })
      return inputRequired({
        inputRequests: { pin: inputRequired.elicit({ message: `PIN of ${who}?`, requestedSchema: form }) },
      })
    }
    record({ answered: who, pin: answer?.pin })
    return text({ who, pin: answer?.pin })
  })
  addRequests(server, tool)
  /** Runs until `release`, and ignores cancellation until then. */
  tool("hold", async ({ who }) => {
    record({ holds: who })
    await new Promise((resolve) => held.set(who, resolve))
    return text({ who })
  })
  tool("release", async ({ who }) => {
    held.get(who)?.()
    return text({ who })
  })
  /** Continues after cancellation: logs, reports progress and asks. */
  tool("linger", async ({ who }, context) => {
    record({ lingers: who })
    await new Promise((resolve) => context.mcpReq.signal.addEventListener("abort", resolve))
    await tell(context, who, "late").catch(() => undefined)
    const answer = await context.mcpReq
      .elicitInput({ mode: "form", message: `late PIN of ${who}?`, requestedSchema: form })
      .catch((error) => ({ action: `failed: ${error.message}` }))
    record({ late: who, action: answer.action, pin: answer.content?.pin })
    return text({ who })
  })
  server.registerTool("pay", { description: again ? AGAIN_ABOUT : ABOUT, inputSchema: WHO }, ({ who }) => {
    record({ ran: "pay", who, by })
    return text({ who, by })
  })
  server.registerTool("die", { description: "die" }, () => process.exit(3))
  server.registerPrompt("letter", { argsSchema: WHO }, ({ who }, context) => {
    const answer = acceptedContent(context.mcpReq.inputResponses, "pin")
    if (answer === undefined) {
      record({ asks: who, by })
      return inputRequired({
        inputRequests: { pin: inputRequired.elicit({ message: `${by} asks ${who} for a PIN`, requestedSchema: form }) },
        requestState: `state of ${by}`,
      })
    }
    record({ answered: who, pin: answer.pin, state: context.mcpReq.requestState(), by })
    return { messages: [{ role: "user", content: { type: "text", text: `letter of ${by}` } }] }
  })
  addResources(server)
  return server
}

function addRequests(server, tool) {
  /** Requests a sample, folders or a page from the client and returns the response. */
  for (const [name, toRequest] of Object.entries(FROM_CLIENT))
    tool(name, ({ who }, { mcpReq }) => {
      const answer = mcpReq.inputResponses?.input
      if (answer === undefined) return inputRequired({ inputRequests: { input: toRequest(who) } })
      record({ [name]: who, answer })
      return text({ who, answer })
    })
  /** Returns the declared capabilities. */
  tool("declared", (_, { mcpReq }) =>
    text(mcpReq.envelope?.["io.modelcontextprotocol/clientCapabilities"] ?? server.server.getClientCapabilities()),
  )
  /** Asks outside any call. */
  tool("later", ({ who }) => {
    setImmediate(() => {
      server.server.listRoots().then(
        (answer) => record({ later: who, answer }),
        ({ code }) => record({ later: who, code }),
      )
    })
    return text({ who })
  })
  /** Asks in the middle of a call, as legacy servers do, and answers with the error. */
  tool("insist", async ({ who }, { mcpReq }) => {
    const asked = { method: "sampling/createMessage", params: FROM_CLIENT.sample(who).params }
    return text(await mcpReq.send(asked).catch(({ code, message }) => ({ code, message })))
  })
}

function addResources(server) {
  server.registerTool("links", { description: "links" }, () => ({
    content: [
      { type: "resource_link", uri: "file:///notes", name: "notes" },
      { type: "resource_link", uri: "file:///drafts", name: "drafts" },
      { type: "resource", resource: { uri: "file:///notes", text: `notes of ${by}` } },
    ],
  }))
  server.registerResource("notes", "file:///notes", {}, () => {
    record({ read: "notes", by })
    return { contents: [{ uri: "file:///notes", text: `notes of ${by}` }] }
  })
  // Named in results, but not listed.
  server.registerResource("drafts", new ResourceTemplate("file:///{name}", { list: undefined }), {}, (uri) => ({
    contents: [{ uri: uri.href, text: `${uri.pathname.slice(1)} of ${by}` }],
  }))
  for (const verb of ["subscribe", "unsubscribe"])
    server.server.setRequestHandler(`resources/${verb}`, ({ params: { uri } }) => {
      record({ [`${verb}s`]: uri, by })
      return {}
    })
  server.registerTool("update", { inputSchema: WHO }, async ({ who }, { mcpReq }) => {
    await mcpReq.notify({ method: "notifications/resources/updated", params: { uri: who } })
    return text({ who })
  })
}

async function handle(request, response, answer) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)])
  const gone = new AbortController()
  response.on("close", () => gone.abort())
  const init = { method: request.method, headers, signal: gone.signal, ...(body.length > 0 && { body }) }
  const answered = await answer(new Request(`http://127.0.0.1${request.url}`, init))
  response.writeHead(answered.status, Object.fromEntries(answered.headers)).flushHeaders()
  if (answered.body === null) return response.end()
  const reader = answered.body.getReader()
  response.on("close", () => void reader.cancel().catch(() => undefined))
  for (let part = await reader.read(); !part.done; part = await reader.read()) response.write(part.value)
  return response.end()
}

function legacyAnswer() {
  const sessions = new Map()
  return async (request) => {
    const known = sessions.get(request.headers.get("mcp-session-id"))
    if (known !== undefined) return known.handleRequest(request)
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    await createWitness().connect(transport)
    return transport.handleRequest(request)
  }
}

if (way === "stdio") serveStdio(createWitness)
else {
  const modern = createMcpHandler(createWitness)
  const answer = era === "legacy" ? legacyAnswer() : (request) => modern.fetch(request)
  const server = createServer(
    (request, response) => void handle(request, response, answer).catch(() => response.destroy()),
  )
  server.listen(0, "127.0.0.1", () => record({ port: server.address().port }))
  process.stdin.resume().on("end", () => process.exit())
}
