import { hasMethod, isRecord, showShort } from "@x/base"
import { refuseAnswer, runSync, toSureFilter } from "../runtime/callback.js"
import type { Report } from "../runtime/diagnostic.js"
import type { Extension, MethodExtension } from "./extension.js"

/**
 * Makes the functions of an extension answer for sure: what they throw, or give in another shape, is named for the operator.
 * `hasResource` opens nothing but with `true`.
 */
export function toSureExtension(extension: Extension, report: Report): Extension {
  const { methods, capabilities, hasResource, watchResource } = extension
  return {
    ...extension,
    ...(methods && {
      methods: Object.fromEntries(Object.entries(methods).map(([name, extend]) => [name, toSureMethod(name, extend)])),
    }),
    ...(capabilities && { capabilities: (leg) => capabilitiesOf(() => capabilities(leg)) }),
    ...(hasResource && { hasResource: toSureFilter("extension.hasResource", hasResource, report) }),
    ...(watchResource && {
      watchResource: (uri, site) => stopOf(() => watchResource(uri, site)),
    }),
  }
}

function toSureMethod(name: string, extend: MethodExtension): MethodExtension {
  const what = `extension.methods["${name}"]`
  return (own, site) => {
    const handler: unknown = runSync(what, () => extend(own, site))
    if (typeof handler !== "function") throw refuseAnswer(what, `${showShort(handler)}: expected a handler`)
    return async (params, context) => handler(params, context)
  }
}

function capabilitiesOf(read: () => unknown): NonNullable<ReturnType<NonNullable<Extension["capabilities"]>>> {
  const what = "extension.capabilities"
  const found = runSync(what, read)
  if (hasMethod(found, "then")) throw refuseAnswer(what, "a promise, which is not awaited: expected an object")
  if (!isRecord(found)) throw refuseAnswer(what, `${showShort(found)}: expected an object`)
  return found
}

function stopOf(watch: () => unknown): () => void {
  const what = "extension.watchResource"
  const stop = runSync(what, watch)
  if (typeof stop === "function") return () => void runSync(what, () => Reflect.apply(stop, undefined, []))
  if (stop === undefined) return () => undefined
  throw refuseAnswer(what, `${showShort(stop)}: expected a function that stops the watch, or nothing`)
}
