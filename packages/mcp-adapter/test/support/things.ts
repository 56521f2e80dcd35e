import type { Client } from "@modelcontextprotocol/client"
import { type AgenticService, action, createAgenticService, link, state } from "@x/agentic-service"
import { BehaviorSubject } from "rxjs"
import { onTestFinished } from "vitest"
import { type HttpOptions, serveHttp } from "../../src/border/http.js"
import type { AdapterEvent } from "../../src/calls/adapter-event.js"
import { type AdapterSource, createMcpAdapter, type McpAdapter } from "../../src/create-adapter.js"
import type { McpAdapterOptions } from "../../src/options.js"
import { createClient, createHttpTransport, type Era } from "./connect.js"

/** A run on a document. */
export interface Ran {
  readonly what: string
  readonly on: string
}

/** Creates a document whose members have the same names in every document: only their contents differ. */
export function createDocument(
  title: string,
  ran: Ran[],
  parts: { readonly id?: string; readonly rows?: number } = {},
): AgenticService {
  const note = (what: string) => () => void ran.push({ what, on: title })
  const { id, rows = 1 } = parts
  return createAgenticService({
    name: "document",
    ...(id !== undefined && { id }),
    states: {
      title: state({ description: "The title", schema: { type: "string" }, value: title }),
      rows: state({
        description: "The rows",
        schema: { type: "array", items: { type: "string" } },
        value: Array.from({ length: rows }, (_, index) => `${title} ${index}`),
      }),
    },
    actions: {
      wipe: action({ description: "Wipe the document", execute: note("wipe") }),
      shred: action({ description: "Shred the document", destructive: true, execute: note("shred") }),
      erase: action({
        description: "Erase the document",
        confirm: () => "Erase this document?",
        execute: note("erase"),
      }),
    },
  })
}

/** Creates a desk with one document, which can be replaced. */
export function createDesk(ran: Ran[], first = createDocument("alpha", ran)) {
  const open = new BehaviorSubject<AgenticService | null>(first)
  const desk = createAgenticService({ name: "desk", links: { open: link({ service: open }) } })
  return { desk, open, exchange: (title: string) => open.next(createDocument(title, ran)) }
}

/** A person's answers. */
export type Answer = "accept" | "decline"

/** One era's client and its server. */
export interface Seat {
  readonly client: Client
  readonly adapter: McpAdapter
  /** Questions that the person got. */
  readonly asked: string[]
  /** The adapter's events. */
  readonly events: AdapterEvent[]
  readonly url: string
}

/** Options of a seat. */
export interface SeatOptions {
  readonly era: Era
  readonly adapter?: McpAdapterOptions
  readonly http?: HttpOptions
  /** Answers the questions, after any work of its own. Default: the client cannot be asked. */
  readonly answer?: (message: string) => Answer | Promise<Answer>
}

/** Serves over real HTTP and connects a real client. */
export async function takeSeat(
  source: AdapterSource,
  { era, adapter: options, http, answer }: SeatOptions,
): Promise<Seat> {
  const adapter = createMcpAdapter(source, options)
  const events: AdapterEvent[] = []
  adapter.events.subscribe((event) => events.push(event))
  const server = await serveHttp(adapter, { port: 0, ...http })
  const { client, asked } = await connect(server.url, era, answer)
  onTestFinished(async () => {
    await client.close()
    await server.close()
    adapter.close()
  })
  return { client, adapter, asked, events, url: server.url }
}

/** Connects a client whose person gives such answers. */
export async function connect(url: string, era: Era, answer?: SeatOptions["answer"]) {
  const asked: string[] = []
  const client = createClient(era, answer === undefined ? {} : { elicitation: {} })
  if (answer !== undefined) {
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message)
      const action = await answer(params.message)
      return action === "accept" ? { action, content: { confirm: true } } : { action }
    })
  }
  const { transport, streaming } = createHttpTransport(url)
  await client.connect(transport)
  if (era === "legacy") await streaming
  return { client, asked }
}

/** Returns a result's text. */
export function textOf(result: object): string {
  return JSON.stringify(result)
}
