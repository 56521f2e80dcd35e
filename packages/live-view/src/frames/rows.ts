import { cleanLine, cutText } from "@x/base"
import type { LinkEntry, StateEntry, ToolEntry } from "@x/mcp-adapter"
import { type ClientInfo, type ListeningClient, type Resolution, toClientLabel } from "@x/mcp-adapter/binding"
import type { ClientRow, InfoRow, LinkRow, ToolRow } from "./frame.js"

/** Describes a tool as its list does, or would if it were available. Returns `undefined` if the view does not know it. */
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
    description: toGlance(description),
    hints,
    available: true,
  }
}

/** A state's row without its value. */
export interface StateFacts {
  readonly uri: string
  readonly name: string
  readonly path: readonly string[]
  readonly description?: string
  readonly mimeType: string
}

/** Describes a state without its value. */
export function toStateFacts({ uri, path, definition }: StateEntry): StateFacts {
  const { name, description, mimeType } = definition
  return { uri, name, path, ...(description !== undefined && { description: toGlance(description) }), mimeType }
}

/** Describes a link. */
export function toLinkRow({ path, canonical, description, service }: LinkEntry): LinkRow {
  return {
    path,
    canonical,
    ...(description !== undefined && { description: toGlance(description) }),
    service: service.name,
  }
}

/** Describes a client that listens for changes. */
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

/** Copies a client's claimed name and version without invisible characters, because clients may claim anything. */
export function toInfoRow({ name, version }: ClientInfo): InfoRow {
  return { name: toGlance(cleanLine(name)), version: toGlance(cleanLine(version)) }
}

/** Shortens descriptions in rows. The details show them in full. */
function toGlance(text: string): string {
  return cutText(text, 300)
}
