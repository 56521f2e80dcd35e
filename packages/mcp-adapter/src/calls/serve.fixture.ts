import type { AgenticService } from "@x/agentic-service"
import { publish } from "@x/tool-schemas"
import { createCatalogue } from "../catalogue/create-catalogue.js"
import type { Entry } from "../catalogue/entry.js"
import { defaultCatalogueLimits } from "../catalogue/listing.js"
import { createReservedNames } from "../catalogue/naming.js"
import { parseResourceUri, toResourceUri } from "../names/resource-uri.js"
import { createToolNamer } from "../names/tool-name.js"
import { type Clock, createLedger, type Host, hostClock, type Ledger } from "../runtime/host.js"
import { createView } from "../views/create-view.js"
import type { View } from "../views/view.js"
import type { CallAnswer } from "./active-call.js"
import type { AdapterEvent } from "./adapter-event.js"
import type { Arguments, CallContext } from "./call-context.js"
import { type CallLimits, defaultCallLimits, defaultQuestionOptions, type QuestionOptions } from "./call-limits.js"
import type { ScopesOf } from "./call-subject.js"
import { type Calls, createCalls } from "./create-calls.js"
import { defaultTaskOptions, type TaskOptions } from "./tasks/task-options.js"

/** A service with all layers between it and a handler. */
export interface Served {
  /** The caller's view. */
  readonly view: View
  /** Calls an action in that view. */
  call(name: string, args: Arguments, context: CallContext): Promise<CallAnswer>
  /** The call path. */
  readonly calls: Calls
  /** The events so far. */
  readonly events: AdapterEvent[]
  /** The open resources. */
  readonly ledger: Ledger
  /** Clock, ledger and diagnostics reporter. */
  readonly host: Host
}

/** Options that differ from the defaults. */
export interface ServeOptions extends Partial<CallLimits> {
  readonly clock?: Clock
  readonly questions?: Partial<QuestionOptions>
  readonly tasks?: Partial<TaskOptions>
  readonly scopes?: ScopesOf
}

/** Serves a service in one view. Call ids are `id-1`, `id-2` and so on. */
export function serve(
  service: AgenticService,
  allow?: (entry: Entry) => boolean,
  { clock = hostClock, questions, tasks, scopes, ...limits }: ServeOptions = {},
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
    parseStateUri: (uri) => parseResourceUri(service.name, uri),
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
    tasks: { ...defaultTaskOptions, ...tasks },
    ...(scopes && { scopes }),
    newId,
  })
  return { view, call: (name, args, context) => calls.call(view, { name, args, context }), calls, events, host, ledger }
}

/** Creates the context of a call over a legacy pipe that nobody aborts, with the given parts. */
export function contextWith(parts: Partial<CallContext> = {}): CallContext {
  return {
    client: "test",
    leg: { transport: "stdio", era: "legacy", notices: true },
    signal: new AbortController().signal,
    clientCapabilities: {},
    ...parts,
  }
}
