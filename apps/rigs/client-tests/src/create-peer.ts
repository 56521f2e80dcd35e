import type { Arguments, CallOptions, Notices, Peer, Tool } from "./peer.js"

/** The common methods of both SDKs' clients. */
export interface AnyClient {
  /** Lists the tools. */
  listTools(): Promise<{ readonly tools: readonly Tool[] }>
  /** Lists the resources. */
  listResources(): Promise<{ readonly resources: readonly { readonly uri: string }[] }>
  /** Lists the templates of resource URIs. */
  listResourceTemplates(): Promise<{ readonly resourceTemplates: readonly { readonly uriTemplate: string }[] }>
  /** Reads a resource. */
  readResource(params: { readonly uri: string }): Promise<{ readonly contents: readonly object[] }>
  /** Disconnects. */
  close(): Promise<void>
}

/** The methods that differ between the SDKs. */
export interface OwnWays {
  /** The connection's era. */
  readonly era: Peer["era"]
  /** Calls a tool. */
  callTool(params: { name: string; arguments: Record<string, unknown> }, options: CallOptions): Promise<AnyResult>
  /** Subscribes to a resource. */
  follow(uri: string): Promise<unknown>
  /** The received notices. */
  readonly notices: Notices
}

/** A tool's result in either SDK. */
export interface AnyResult {
  /** The content blocks. */
  readonly content: readonly object[]
  /** Whether the call failed. */
  readonly isError?: boolean | undefined
  /** The structured value. */
  readonly structuredContent?: unknown
}

/** Creates a peer from a connected client of either SDK. */
export function createPeer(client: AnyClient, { era, callTool, follow, notices }: OwnWays): Peer {
  return {
    era,
    ...notices,
    tools: async () => (await client.listTools()).tools,
    async call(name: string, args: Arguments = {}, options: CallOptions = {}) {
      const { content, isError = false, structuredContent } = await callTool({ name, arguments: { ...args } }, options)
      return { text: toText(content), isError, structured: structuredContent }
    },
    resources: async () => (await client.listResources()).resources.map(({ uri }) => uri),
    templates: async () => {
      const { resourceTemplates } = await client.listResourceTemplates()
      return resourceTemplates.map(({ uriTemplate }) => uriTemplate)
    },
    read: async (uri) => toText((await client.readResource({ uri })).contents),
    follow: async (uri) => void (await follow(uri)),
    close: () => client.close(),
  }
}

/** Returns the text of content blocks or resource contents. */
function toText(blocks: readonly object[]): string {
  return blocks.flatMap((block) => ("text" in block ? [block.text] : [])).join("\n")
}
