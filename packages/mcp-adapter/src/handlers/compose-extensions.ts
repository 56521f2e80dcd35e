import { catchError, EMPTY, merge } from "rxjs"
import type { Report } from "../runtime/diagnostic.js"
import type { Extension, ExtensionCapabilities, MethodExtension } from "./extension.js"

// Stands alone: what one extension is, extension.ts says; how several are one is of no concern to who writes one.

/**
 * Makes one extension of several. Where several answer a method, the first is asked, and what it is given as the handler of the
 * adapter is the next one's. Capabilities are united, member by member; the first wins where two differ. A resource belongs to the first
 * that has it. Notices are merged: those of one that fails end alone, and are reported.
 */
export function composeExtensions(all: readonly Extension[], report: Report): Extension {
  const [only = {}, ...others] = all
  if (others.length === 0) return only
  const notices = all.flatMap((each) => each.notices ?? [])
  return {
    methods: chainMethods(all),
    capabilities: (leg) => unite(all.map((each) => each.capabilities?.(leg) ?? {})),
    ...(all.some(({ hasResource }) => hasResource) && {
      hasResource: (uri, site) => all.some((each) => each.hasResource?.(uri, site) === true),
    }),
    watchResource: (uri, site) =>
      all.find((each) => each.hasResource?.(uri, site) === true)?.watchResource?.(uri, site) ?? (() => undefined),
    notices: merge(
      ...notices.map((each) =>
        each.pipe(
          catchError((cause: unknown) => {
            const message = "the notices of an extension failed: no more of them are sent"
            report({ code: "source_failed", message, cause })
            return EMPTY
          }),
        ),
      ),
    ),
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
