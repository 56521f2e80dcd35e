// The board and an office, served with the SDK alone: every action is a tool that is registered once and never removed.
import { fromJsonSchema, InMemoryTransport, McpServer } from "@modelcontextprotocol/server"
import { firstValueFrom } from "rxjs"
import { createBoardStore } from "../dist/board/create-board-store.js"
import { createBoardService } from "../dist/services/create-board-service.js"
import { createCardService } from "../dist/services/create-card-service.js"
import { createColumnService } from "../dist/services/create-column-service.js"

/** Serves a new board to one client. Returns the client's transport. */
export async function connectRawBoard() {
  const store = createBoardStore()
  const server = new McpServer({ name: "board", version: "0.0.0" })
  const { columns } = await firstValueFrom(store.board$)
  register(server, createBoardService(store), { path: [] })
  for (const column of columns) register(server, createColumnService(store, column), { path: ["columns", column.id] })
  // The open card is known only at the call.
  const card = createCardService(store, "")
  const opened = async () => createCardService(store, (await firstValueFrom(store.openCard$))?.id ?? "")
  register(server, card, { path: ["open"], find: opened })
  return connect(server)
}

/** Serves an office's projects to one client. Returns the client's transport. */
export async function connectRawOffice({ projects }) {
  const server = new McpServer({ name: "office", version: "0.0.0" })
  for (const { id, service } of projects) register(server, service, { path: ["projects", id] })
  return connect(server)
}

/** Connects a server to one client. Returns the client's transport. */
export async function connect(server) {
  const [client, own] = InMemoryTransport.createLinkedPair()
  await server.connect(own)
  return client
}

function register(server, service, { path, find = () => service }) {
  for (const [key, { definition }] of Object.entries(service.declared.actions)) {
    const { title, description, schema, output, hints } = definition
    const annotations = { readOnlyHint: hints.readOnly, destructiveHint: hints.destructive ?? false }
    const config = {
      title,
      description,
      inputSchema: fromJsonSchema(schema ?? { type: "object", properties: {} }),
      ...(output?.type === "object" && { outputSchema: fromJsonSchema(output) }),
      annotations,
    }
    server.registerTool([...path, key].join("__"), config, async (args) =>
      toResult(output, await runAction(find, key, args)),
    )
  }
}

/** Runs an action of a service that is found at the call. */
export async function runAction(find, key, args) {
  const service = await find()
  // Services create their maps only for subscribers.
  const looking = service.actions.subscribe()
  const outcome = await service.execute(key, args)
  looking.unsubscribe()
  return outcome
}

function toResult(output, { ok, value, message }) {
  if (!ok) return { isError: true, content: [{ type: "text", text: message }] }
  const content = [{ type: "text", text: value === undefined ? "done" : JSON.stringify(value) }]
  return output?.type === "object" ? { content, structuredContent: value } : { content }
}
