// The board, and an office, as one would serve them with nothing but the SDK: every action is a tool, registered once and there for ever.
import { fromJsonSchema, InMemoryTransport, McpServer } from "@modelcontextprotocol/server"
import { firstValueFrom } from "rxjs"
import { createBoardStore } from "../dist/board/create-board-store.js"
import { createBoardService } from "../dist/services/create-board-service.js"
import { createCardService } from "../dist/services/create-card-service.js"
import { createColumnService } from "../dist/services/create-column-service.js"

/** Serves a new board to one client; gives the client's end. */
export async function connectRawBoard() {
  const store = createBoardStore()
  const server = new McpServer({ name: "board", version: "0.0.0" })
  const { columns } = await firstValueFrom(store.board$)
  register(server, createBoardService(store), { path: [] })
  for (const column of columns) register(server, createColumnService(store, column), { path: ["columns", column.id] })
  // Which card is open is known at the call only.
  const card = createCardService(store, "")
  const opened = async () => createCardService(store, (await firstValueFrom(store.openCard$))?.id ?? "")
  register(server, card, { path: ["open"], find: opened })
  return connect(server)
}

/** Serves the projects of an office to one client; gives the client's end. */
export async function connectRawOffice({ projects }) {
  const server = new McpServer({ name: "office", version: "0.0.0" })
  for (const { id, service } of projects) register(server, service, { path: ["projects", id] })
  return connect(server)
}

async function connect(server) {
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
    server.registerTool([...path, key].join("__"), config, async (args) => toResult(output, await run(find, key, args)))
  }
}

async function run(find, key, args) {
  const service = await find()
  // The maps are made by whoever looks.
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
