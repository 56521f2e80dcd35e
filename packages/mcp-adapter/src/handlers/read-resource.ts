import type { State } from "@x/agentic-service"
import { isBytes, toBase64, toJson } from "@x/tool-schemas/json"
import type { StateEntry } from "../catalogue/entry.js"
import { toCacheable } from "./cacheable.js"
import type { HandlerOptions } from "./handler-options.js"
import type { Handler } from "./handlers.js"
import { toResourceNotFound, toUri } from "./resource-not-found.js"

/** Answers resources/read: the newest value of one state; a hidden state is as unknown as one that never was. */
export function createReadResource({ view, shared }: HandlerOptions): Handler {
  return async (params, context) => {
    await view.ready
    const uri = toUri(params)
    const entry = view.state(uri)
    const state = entry?.current()
    if (entry === undefined || state === undefined) throw toResourceNotFound(uri, context.leg)
    return toCacheable({ contents: [{ uri, ...toContents(state, entry) }] }, context, shared)
  }
}

type Contents = { readonly mimeType: string } & ({ readonly text: string } | { readonly blob: string })

function toContents({ value, mediaType }: State, { definition }: StateEntry): Contents {
  const { mimeType } = definition
  if (isBytes(value)) return { mimeType: mediaType ?? "application/octet-stream", blob: toBase64(value) }
  if (typeof value === "string" && !isJsonType(mimeType)) return { mimeType, text: value }
  return { mimeType: isJsonType(mimeType) ? mimeType : "application/json", text: JSON.stringify(toJson(value)) }
}

/** Such as `application/json`, `application/geo+json`, `application/json; charset=utf-8`. */
function isJsonType(mimeType: string): boolean {
  return /^[^;]*[/+]json\s*(;|$)/i.test(mimeType)
}
