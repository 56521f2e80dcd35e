import type { Observable } from "rxjs"

/** Connects an SDK's client to a server. */
export type Connect = (server: Server) => Promise<Peer>

/** A running server's URL, or a command to start one over stdin and stdout. */
export type Server = { readonly url: string } | { readonly command: string; readonly args: string[] }

/** A connected SDK client, with one interface for all SDKs. */
export interface Peer extends Requests, Notices {
  /** The protocol era. */
  readonly era: "legacy" | "modern"
  /** Disconnects, and stops a server started for it. */
  close(): Promise<void>
}

/** Requests to a server. */
export interface Requests {
  /** Lists the tools. Afterwards the SDK validates results against output schemas. */
  tools(): Promise<readonly Tool[]>
  /** Calls a tool. Rejects on a protocol error; a failed call resolves. */
  call(name: string, args?: Arguments, options?: CallOptions): Promise<Answer>
  /** Lists the URIs of the resources. */
  resources(): Promise<readonly string[]>
  /** Lists the templates of resource URIs. */
  templates(): Promise<readonly string[]>
  /** Reads the text of a resource. */
  read(uri: string): Promise<string>
  /** Subscribes to a resource, in the era's way. */
  follow(uri: string): Promise<void>
}

/** A server's notifications. */
export interface Notices {
  /** The new tools, listed after each notice. */
  readonly tools$: Observable<readonly Tool[]>
  /** The new resource URIs, listed after each notice. */
  readonly resources$: Observable<readonly string[]>
  /** The URI of a followed resource, on each update. */
  readonly updates$: Observable<string>
}

/** A listed tool. */
export interface Tool {
  /** Its name. */
  readonly name: string
  /** Its input schema. */
  readonly inputSchema: object
  /** Its output schema, if declared. */
  readonly outputSchema?: object | undefined
}

/** A tool's arguments. */
export type Arguments = Readonly<Record<string, unknown>>

/** Options of a call. */
export interface CallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal
  /** Receives progress. */
  readonly onprogress?: (progress: { readonly progress: number }) => void
}

/** A call's result. */
export interface Answer {
  /** The text for the model. */
  readonly text: string
  /** Whether the call failed. */
  readonly isError: boolean
  /** The structured value, if the tool has an output schema. */
  readonly structured: unknown
}
