import { Client, StreamableHTTPClientTransport, type Tool, type Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { type Observable, Subject } from "rxjs"
import { createBoardStore } from "../board/create-board-store.js"
import { createBoardService } from "../services/create-board-service.js"
import { instructions } from "../services/instructions.js"
import { stdioCommand } from "../serving/client-configuration.js"

/** A client that is connected to a board. */
export interface Connection {
  /** The SDK's client, as any host may use it. */
  readonly client: Client
  /** The new list of tools, each time the server says that it has changed. */
  readonly tools$: Observable<readonly Tool[]>
  /** What the server asks the person before it does something; this one accepts everything. */
  readonly questions$: Observable<string>
  /** Ends it, and the board where it is its own. */
  close(): Promise<void>
}

/** Connects to the board that runs on this machine; where none does, to one in this process, over real HTTP. */
export async function connectOverHttp(url = "http://127.0.0.1:3000/mcp"): Promise<Connection> {
  return (await connectToRunning(url)) ?? connectToOwn()
}

/** Connects to a board that runs: in a page that is open, or without one. `undefined` where there is none. */
async function connectToRunning(url: string): Promise<Connection | undefined> {
  try {
    const connection = await connect(new StreamableHTTPClientTransport(new URL(url)))
    // What else may listen there is left alone, and so is a board that nobody has open, or that somebody has worked on.
    const names = (await connection.client.listTools()).tools.map(({ name }) => name)
    const isTouched = names.some((name) => TOUCHED.includes(name))
    if (connection.client.getServerVersion()?.name === "board" && names.includes("open_card") && !isTouched)
      return connection
    await connection.close()
  } catch {
    // Nobody is there.
  }
  return undefined
}

/** What a board has once something has happened to it. */
const TOUCHED: readonly string[] = ["undo", "redo", "archive", "open__close"]

async function connectToOwn(): Promise<Connection> {
  const adapter = createMcpAdapter(createBoardService(createBoardStore()), { instructions })
  const server = await serveHttp(adapter, { port: 0 })
  const connection = await connect(new StreamableHTTPClientTransport(new URL(server.url)))
  const close = async (): Promise<void> => {
    await connection.close()
    await server.close()
    adapter.close()
  }
  return { ...connection, close }
}

/** Starts a server as a client does that starts its servers, and connects to it over its stdin and stdout. */
export function connectOverStdio(): Promise<Connection> {
  const { command, args } = stdioCommand
  return connect(new StdioClientTransport({ command, args: [...args, "--quiet"] }))
}

/** Connects the tour's client over any transport. */
export async function connect(transport: Transport): Promise<Connection> {
  const tools$ = new Subject<readonly Tool[]>()
  const questions$ = new Subject<string>()
  const client = new Client(
    { name: "tour", version: "1.0.0" },
    {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: "auto" },
      listChanged: { tools: { debounceMs: 0, onChanged: (_, tools) => tools && tools$.next(tools) } },
    },
  )
  client.setRequestHandler("elicitation/create", ({ params }) => {
    questions$.next(params.message)
    return { action: "accept", content: { confirm: true } }
  })
  await client.connect(transport)
  return { client, tools$, questions$, close: () => client.close() }
}
