import type { Observable } from "rxjs"

/** Connects a client of some SDK to a server. */
export type Connect = (server: Server) => Promise<Peer>

/** Where a client finds its server: it is there already, or the client starts it and speaks over stdin and stdout. */
export type Server = { readonly url: string } | { readonly command: string; readonly args: string[] }

/** A real client of some SDK, connected: what the tests need of it, in the same words for all of them. */
export interface Peer extends Requests, Notices {
  /** Whether the server is spoken to in the modern era. */
  readonly era: "legacy" | "modern"
  /** Disconnects, and ends a server that was started for it. */
  close(): Promise<void>
}

/** What is asked of a server. */
export interface Requests {
  /** Lists the tools. From then on the SDK checks what they answer against their output schemas. */
  tools(): Promise<readonly Tool[]>
  /** Calls a tool. Rejects on a protocol error; a tool that fails is an answer. */
  call(name: string, args?: Arguments, options?: CallOptions): Promise<Answer>
  /** Lists the URIs of the resources. */
  resources(): Promise<readonly string[]>
  /** Lists the templates of resource URIs. */
  templates(): Promise<readonly string[]>
  /** Reads the text of a resource. */
  read(uri: string): Promise<string>
  /** Asks for the updates of a resource, in the way of the era. */
  follow(uri: string): Promise<void>
}

/** What a server says unasked. */
export interface Notices {
  /** The new list of tools, listed again each time the server says that it has changed. */
  readonly tools$: Observable<readonly Tool[]>
  /** The URIs of the new list of resources, listed again each time the server says that it has changed. */
  readonly resources$: Observable<readonly string[]>
  /** The URI of a resource that is followed, each time the server says that it has another value. */
  readonly updates$: Observable<string>
}

/** A tool as it was listed. */
export interface Tool {
  /** What it is called by. */
  readonly name: string
  /** What it takes. */
  readonly inputSchema: object
  /** What it answers; absent where it does not say. */
  readonly outputSchema?: object | undefined
}

/** What a tool takes. */
export type Arguments = Readonly<Record<string, unknown>>

/** How a tool is called. */
export interface CallOptions {
  /** Gives the call up. */
  readonly signal?: AbortSignal
  /** Hears how far it is. */
  readonly onprogress?: (progress: { readonly progress: number }) => void
}

/** What a tool answered. */
export interface Answer {
  /** What a model reads. */
  readonly text: string
  /** Whether the tool did not do what it was asked to. */
  readonly isError: boolean
  /** The value, where the tool has an output schema. */
  readonly structured: unknown
}
