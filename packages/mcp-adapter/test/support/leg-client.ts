import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import {
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js"

/** What the tests of the legs need of a client. The client of SDK v2 is one. */
export interface LegClient {
  /** The era it speaks. */
  getProtocolEra(): string | undefined
  /** What the server announces. */
  getServerCapabilities(): object | undefined
  /** Lists the tools. */
  listTools(): Promise<{ readonly tools: readonly { readonly name: string }[] }>
  /** Calls a tool. */
  callTool(params: { name: string }, options?: CallOptions): Promise<object>
  /** Reads a resource. */
  readResource(params: { uri: string }): Promise<{ readonly contents: readonly object[] }>
  /** Subscribes to a resource; legacy only. */
  subscribeResource(params: { uri: string }): Promise<object>
  /** Opens a listen stream; modern only. */
  listen(filter: { toolsListChanged?: boolean; resourceSubscriptions?: string[] }): Promise<object>
  /** Takes the notices of a method. */
  setNotificationHandler(method: NoticeMethod, handler: (notification: object) => void): void
  /** Disconnects. */
  close(): Promise<void>
}

/** How a tool is called. */
export interface CallOptions {
  /** Gives the call up. */
  signal?: AbortSignal
  /** Hears how far it is. */
  onprogress?: (progress: { progress: number }) => void
}

/** The notices that the tests wait for. */
export type NoticeMethod = keyof typeof schemas

/** The client of SDK v1 in the words of SDK v2's. */
export function toLegClient(client: Client): LegClient {
  return {
    getProtocolEra: () => "legacy",
    getServerCapabilities: () => client.getServerCapabilities(),
    listTools: () => client.listTools(),
    callTool: (params, options) => client.callTool(params, undefined, options),
    readResource: (params) => client.readResource(params),
    subscribeResource: (params) => client.subscribeResource(params),
    listen: () => Promise.reject(new Error("SDK v1 speaks the legacy era only")),
    setNotificationHandler: (method, handler) => client.setNotificationHandler(schemas[method], handler),
    close: () => client.close(),
  }
}

const schemas = {
  "notifications/tools/list_changed": ToolListChangedNotificationSchema,
  "notifications/resources/updated": ResourceUpdatedNotificationSchema,
}
