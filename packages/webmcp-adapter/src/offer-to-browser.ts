import type { AgenticService } from "@x/agentic-service"
import { findOptionFault, type OptionRule } from "@x/tool-schemas/json"
import { BehaviorSubject } from "rxjs"
import { findModelContext } from "./model-context.js"
import { WebMcpError } from "./webmcp-error.js"
import type { WebMcpOffer, WebMcpOptions, WebMcpStatus } from "./webmcp-offer.js"

/**
 * Offers a service to the browser's own agent, where there is one (WebMCP): each action that can be called is a tool of the
 * document, each state a tool that reads it, in step with the service. Where the browser has no WebMCP, which is most of them,
 * it does nothing, loads nothing more and says so in `status`.
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
    // Most browsers never come here, and need not load what serves the tools.
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
  if (fault !== undefined) throw new WebMcpError("invalid_option", fault)
  if (!/^[\w.-]{0,20}$/.test(options.prefix ?? ""))
    throw new WebMcpError(
      "invalid_option",
      `option "prefix" is ${JSON.stringify(options.prefix)}: expected at most 20 letters, digits, "_", "-" and "."`,
    )
}
