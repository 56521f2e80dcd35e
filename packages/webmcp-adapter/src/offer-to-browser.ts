import type { AgenticService } from "@x/agentic-service"
import { findOptionFault, type OptionRule } from "@x/base"
import { BehaviorSubject } from "rxjs"
import { findModelContext } from "./model-context.js"
import { WebMcpError } from "./webmcp-error.js"
import type { WebMcpOffer, WebMcpOptions, WebMcpStatus } from "./webmcp-offer.js"

/**
 * Offers a service to the browser's own agent through WebMCP. Each available action is a tool of the document, and each state a
 * tool that reads it; they follow the service. In a browser without WebMCP, which most are, it does nothing, imports nothing
 * more and says so in `status`.
 *
 * @throws WebMcpError `invalid_option`.
 * @example
 * ```ts
 * import { action, createAgenticService } from "@x/agentic-service"
 * import { offerToBrowser } from "@x/webmcp-adapter"
 *
 * const greet = action({ description: "Greets", execute: () => ({ text: "hello" }) })
 * const offer = offerToBrowser(createAgenticService({ name: "door", actions: { greet } }))
 * console.log(offer.status.value.state) // unsupported
 * offer.close()
 * ```
 */
export function offerToBrowser(service: AgenticService | object, options: WebMcpOptions = {}): WebMcpOffer {
  checkOptions(options)
  const found = findModelContext()
  const status = new BehaviorSubject<WebMcpStatus>(
    found.context === undefined ? { state: "unsupported", reason: found.reason } : { state: "starting" },
  )
  const closing = new AbortController()
  if (found.context !== undefined) {
    const { context } = found
    // Most browsers never import the module that serves tools.
    import("./keep-offered.js")
      .then(({ keepOffered }) => keepOffered(service, { ...options, context, closed: closing.signal, status }))
      .catch((thrown: unknown) => fail(status, thrown))
  }
  return {
    status: Object.assign(status.asObservable(), {
      get value() {
        return status.value
      },
    }),
    close() {
      if (closing.signal.aborted) return
      closing.abort()
      status.next({ state: "closed" })
      status.complete()
    },
  }
}

function fail(status: BehaviorSubject<WebMcpStatus>, thrown: unknown): void {
  if (status.value.state !== "closed") status.next({ state: "failed", reason: WebMcpError.from(thrown).message })
}

const rules: Record<keyof WebMcpOptions, OptionRule> = { prefix: "text", ask: "function" }

function checkOptions(options: WebMcpOptions): void {
  const fault = findOptionFault(options, rules)
  if (fault !== undefined) throw new WebMcpError(fault, { code: "invalid_option" })
  if (!/^[\w.-]{0,20}$/.test(options.prefix ?? ""))
    throw new WebMcpError(
      `option "prefix" is ${JSON.stringify(options.prefix)}: expected at most 20 letters, digits, "_", "-" and "."`,
      { code: "invalid_option" },
    )
}
