import type { LinkEntry, StateEntry, ToolEntry } from "@x/mcp-adapter"
import { type ClientInfo, type ListeningClient, type Resolution, toClientLabel } from "@x/mcp-adapter/binding"
import { cleanLine } from "@x/tool-schemas/json"
import type { ClientRow, InfoRow, LinkRow, ToolRow } from "./frame.js"

/** Describes a tool as it is listed, or as it would be. Returns `undefined` if the view knows of no such tool. */
export function toToolRow(found: Resolution, name: string): ToolRow | undefined {
  if (found.status === "unknown") return undefined
  const row = toRow(found.entry, name)
  if (found.status === "available") return row
  return { ...row, available: false, ...(found.reason !== undefined && { reason: found.reason }) }
}

function toRow({ path, key, definition }: ToolEntry, name: string): ToolRow {
  const { title, description, annotations } = definition
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations
  const hints = [
    ...(readOnlyHint ? ["read only"] : []),
    ...(destructiveHint ? ["destructive"] : []),
    ...(idempotentHint ? ["idempotent"] : []),
    ...(openWorldHint ? ["open world"] : []),
  ]
  return {
    name,
    path,
    key,
    ...(title !== undefined && { title }),
    description: cutText(description),
    hints,
    available: true,
  }
}

/** What is told of a state besides its value. */
export interface StateFacts {
  readonly uri: string
  readonly name: string
  readonly path: readonly string[]
  readonly description?: string
  readonly mimeType: string
}

/** A state without its value. */
export function toStateFacts({ uri, path, definition }: StateEntry): StateFacts {
  const { name, description, mimeType } = definition
  return { uri, name, path, ...(description !== undefined && { description: cutText(description) }), mimeType }
}

/** A link. */
export function toLinkRow({ path, canonical, description, service }: LinkEntry): LinkRow {
  return {
    path,
    canonical,
    ...(description !== undefined && { description: cutText(description) }),
    service: service.name,
  }
}

/** A client that is told of changes. */
export function toClientRow({ client, info, principal, leg, hears }: ListeningClient): ClientRow {
  const { kinds, uris } = hears()
  return {
    client: toClientLabel({ client, ...(principal && { principal }), leg: { ...leg, notices: true } }),
    ...(info && { info: toInfoRow(info) }),
    ...(principal && { principal: principal.id }),
    leg: { transport: leg.transport, era: leg.era },
    kinds,
    uris: uris.slice(0, 20),
  }
}

/** What a client says it is, without what cannot be seen: anybody may say anything. */
export function toInfoRow({ name, version }: ClientInfo): InfoRow {
  return { name: cutText(cleanLine(name)), version: cutText(cleanLine(version)) }
}

/** Rows are many, and a description may be of any length; the whole is a click away. */
function cutText(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 299)}…`
}
