import { catchError, EMPTY, merge, type Observable } from "rxjs"
import type { Report } from "../runtime/diagnostic.js"
import type { Extension, ExtensionCapabilities, ExtensionSite, MethodExtension, ServerNotice } from "./extension.js"
import { toSureExtension } from "./sure-extension.js"

// A file of its own, because authors of an extension need only extension.ts.

/**
 * Combines several extensions into one. For each method the first extension answers, with the next one as its `own` handler.
 * Capabilities are united member by member; the first wins in conflicts. A resource belongs to the first extension that has it.
 * Notices are merged; failed ones end alone, with a diagnostic.
 */
export function composeExtensions(given: readonly Extension[], report: Report): Extension {
  const all = given.map((each) => toSureExtension(each, report))
  const [only = {}, ...others] = all
  if (others.length === 0) return only
  const guard = (each: Observable<ServerNotice>): Observable<ServerNotice> =>
    each.pipe(
      catchError((cause: unknown) => {
        const message = "the notices of an extension failed: it can send no more"
        report({ code: "source_failed", message, cause })
        return EMPTY
      }),
    )
  const noticesAt = (site: ExtensionSite): Observable<ServerNotice> =>
    merge(...all.flatMap((each) => each.noticesAt?.(site) ?? each.notices ?? []).map(guard))
  return {
    methods: chainMethods(all),
    capabilities: (leg) => unite(all.map((each) => each.capabilities?.(leg) ?? {})),
    ...(all.some(({ hasResource }) => hasResource) && {
      hasResource: (uri, site) => all.some((each) => each.hasResource?.(uri, site) === true),
    }),
    watchResource: (uri, site) =>
      all.find((each) => each.hasResource?.(uri, site) === true)?.watchResource?.(uri, site) ?? (() => undefined),
    notices: merge(...all.flatMap((each) => each.notices ?? []).map(guard)),
    noticesAt,
  }
}

function chainMethods(all: readonly Extension[]): Readonly<Record<string, MethodExtension>> {
  const chained = new Map<string, MethodExtension>()
  for (const { methods = {} } of [...all].reverse()) {
    for (const [method, extend] of Object.entries(methods)) {
      const next = chained.get(method)
      chained.set(method, next === undefined ? extend : (own, site) => extend(next(own, site), site))
    }
  }
  return Object.fromEntries(chained)
}

function unite(all: readonly ExtensionCapabilities[]): ExtensionCapabilities {
  const united: Record<string, object> = {}
  for (const capabilities of [...all].reverse())
    for (const [name, settings] of Object.entries(capabilities)) united[name] = { ...united[name], ...settings }
  return united
}
