import type { Client } from "@modelcontextprotocol/sdk/client/index.js"
import {
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js"

/** The client interface for tests of all legs. SDK v2's client implements it. */
export interface LegClient {
  /** Returns the client's era. */
  getProtocolEra(): string | undefined
  /** Returns the server's capabilities. */
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
  /** Handles notices of a method. */
  setNotificationHandler(method: NoticeMethod, handler: (notification: object) => void): void
  /** Disconnects. */
  close(): Promise<void>
}

/** Options of a call. */
export interface CallOptions {
  /** Cancels the call. */
  signal?: AbortSignal
  /** Receives progress. */
  onprogress?: (progress: { progress: number }) => void
}

/** Notices that the tests wait for. */
export type NoticeMethod = keyof typeof schemas

/** Wraps SDK v1's client in SDK v2's interface. */
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
