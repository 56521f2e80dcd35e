import type { LinkEntry, StateEntry, ToolEntry } from "@x/mcp-adapter"
import type { ListeningClient, View } from "@x/mcp-adapter/binding"
import type { ClientRow, LinkRow, ToolRow } from "./frame.js"

/** A tool as it is listed, or as it would be; none where nothing may be known of it. */
export function toToolRows(view: View, name: string): readonly ToolRow[] {
  const found = view.resolve(name)
  if (found.status === "unknown") return []
  const { entry } = found
  const row = toRow(entry, name)
  if (found.status === "available") return [row]
  return [{ ...row, available: false, ...(found.reason !== undefined && { reason: found.reason }) }]
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
    client,
    ...(info && { info: { name: cutText(info.name), version: cutText(info.version) } }),
    ...(principal && { principal: principal.id }),
    leg: { transport: leg.transport, era: leg.era },
    kinds,
    uris: uris.slice(0, 20),
  }
}

/** Rows are many, and a description may be of any length; the whole is a click away. */
function cutText(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 299)}…`
}
