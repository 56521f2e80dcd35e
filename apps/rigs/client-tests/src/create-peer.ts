import type { Arguments, CallOptions, Notices, Peer, Tool } from "./peer.js"

/** What the clients of both SDKs have in common. */
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

/** What each SDK does in a way of its own. */
export interface OwnWays {
  /** The era it connected in. */
  readonly era: Peer["era"]
  /** Calls a tool. */
  callTool(params: { name: string; arguments: Record<string, unknown> }, options: CallOptions): Promise<AnyResult>
  /** Asks for the updates of a resource. */
  follow(uri: string): Promise<unknown>
  /** What comes in unasked. */
  readonly notices: Notices
}

/** What a tool answered, in either SDK. */
export interface AnyResult {
  /** Its blocks. */
  readonly content: readonly object[]
  /** Whether it failed. */
  readonly isError?: boolean | undefined
  /** Its value. */
  readonly structuredContent?: unknown
}

/** A connected client of either SDK, in the words of the tests. */
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

/** What there is to read in the blocks of an answer, or in the contents of a resource. */
function toText(blocks: readonly object[]): string {
  return blocks.flatMap((block) => ("text" in block ? [block.text] : [])).join("\n")
}
