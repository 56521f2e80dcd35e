import type { AgenticService } from "@x/agentic-service"
import { publish } from "@x/tool-schemas"
import { createCatalogue } from "../catalogue/create-catalogue.js"
import type { Entry } from "../catalogue/entry.js"
import { defaultCatalogueLimits } from "../catalogue/listing.js"
import { createReservedNames } from "../catalogue/naming.js"
import { toResourceUri } from "../names/resource-uri.js"
import { createToolNamer } from "../names/tool-name.js"
import { type Clock, createLedger, type Host, hostClock, type Ledger } from "../runtime/host.js"
import { createView } from "../views/create-view.js"
import type { View } from "../views/view.js"
import type { CallAnswer } from "./active-call.js"
import type { AdapterEvent } from "./adapter-event.js"
import type { Arguments, CallContext } from "./call-context.js"
import { type CallLimits, defaultCallLimits, defaultQuestionOptions, type QuestionOptions } from "./call-limits.js"
import { type Calls, createCalls } from "./create-calls.js"

/** A service with everything between it and a handler. */
export interface Served {
  /** What the caller may see. */
  readonly view: View
  /** Calls in that view. */
  call(name: string, args: Arguments, context: CallContext): Promise<CallAnswer>
  /** The call path. */
  readonly calls: Calls
  /** What happened so far. */
  readonly events: AdapterEvent[]
  /** What is held. */
  readonly ledger: Ledger
  /** All that it stands on. */
  readonly host: Host
}

/** What may be other than usual. */
export interface ServeOptions extends Partial<CallLimits> {
  readonly clock?: Clock
  readonly questions?: Partial<QuestionOptions>
}

/** Serves a service to one view; ids are `id-1`, `id-2` and so on. */
export function serve(
  service: AgenticService,
  allow?: (entry: Entry) => boolean,
  { clock = hostClock, questions, ...limits }: ServeOptions = {},
): Served {
  const events: AdapterEvent[] = []
  const ledger = createLedger()
  const emit = (event: AdapterEvent) => void events.push(event)
  const host: Host = { clock, ledger, report: (diagnostic) => emit({ type: "diagnostic", diagnostic }) }
  const catalogue = createCatalogue({
    service,
    toolName: createToolNamer(),
    reserved: createReservedNames(),
    publishInput: (schema) => publish(schema),
    stateUri: (path, key) => toResourceUri(service.name, path, key),
    host,
    limits: defaultCatalogueLimits,
  })
  const view = createView({ catalogue, ...(allow && { allow }), notices: { windowMs: 50, flickerMs: 0 }, host })
  let ids = 0
  const newId = () => `id-${++ids}`
  const calls = createCalls({
    emit,
    host,
    limits: { ...defaultCallLimits, ...limits },
    questions: { ...defaultQuestionOptions(), ...questions },
    newId,
  })
  return { view, call: (name, args, context) => calls.call(view, { name, args, context }), calls, events, host, ledger }
}

/** A call over a legacy pipe that nobody aborts, but for what is given. */
export function contextWith(parts: Partial<CallContext> = {}): CallContext {
  return {
    client: "test",
    leg: { transport: "stdio", era: "legacy", notices: true },
    signal: new AbortController().signal,
    clientCapabilities: {},
    ...parts,
  }
}
