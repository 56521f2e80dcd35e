import { Client, StreamableHTTPClientTransport, type Tool, type Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { type Observable, Subject } from "rxjs"
import { createBoardStore } from "../board/create-board-store.js"
import { createBoardService } from "../services/create-board-service.js"
import { instructions } from "../services/instructions.js"
import { stdioCommand } from "../serving/client-configuration.js"

/** A client connected to a board. */
export interface Connection {
  /** The SDK's client. */
  readonly client: Client
  /** The new tools, after each notice of a change. */
  readonly tools$: Observable<readonly Tool[]>
  /** The server's questions to the person, all accepted. */
  readonly questions$: Observable<string>
  /** Closes the connection and the board that was started for it, if any. */
  close(): Promise<void>
}

/** Connects over HTTP to a running board on this machine, or else to a new one in this process. */
export async function connectOverHttp(url = "http://127.0.0.1:3000/mcp"): Promise<Connection> {
  return (await connectToRunning(url)) ?? connectToOwn()
}

/** Connects to a running board, in a page or headless. Returns `undefined` if there is none. */
async function connectToRunning(url: string): Promise<Connection | undefined> {
  try {
    const connection = await connect(new StreamableHTTPClientTransport(new URL(url)))
    // Leaves alone any other server, a board without an open page, and a board that was changed.
    const names = (await connection.client.listTools()).tools.map(({ name }) => name)
    const isTouched = names.some((name) => TOUCHED.includes(name))
    if (connection.client.getServerVersion()?.name === "board" && names.includes("open_card") && !isTouched)
      return connection
    await connection.close()
  } catch {
    // No server is listening.
  }
  return undefined
}

/** Tools that a board only has once it was used. */
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

/** Starts a server like a client would, and connects over its stdin and stdout. */
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
