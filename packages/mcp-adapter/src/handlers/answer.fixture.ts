import type { AgenticService } from "@x/agentic-service"
import { expect } from "vitest"
import type { CallContext } from "../calls/call-context.js"
import type { QuestionOptions } from "../calls/call-limits.js"
import type { ScopesOf } from "../calls/call-subject.js"
import { contextWith, type Served, serve } from "../calls/serve.fixture.js"
import type { TaskOptions } from "../calls/tasks/task-options.js"
import type { Entry } from "../catalogue/entry.js"
import { createExposure } from "../exposures/create-exposure.js"
import type { ExposureName, ExposureOptions } from "../exposures/exposure.js"
import { type Clock, hostClock } from "../runtime/host.js"
import { type CatchUpOptions, resolveCatchUp, type SettleOptions } from "./catch-up.js"
import { createPatience } from "./create-patience.js"
import type { Extension } from "./extension.js"
import type { Params, Result } from "./handler.js"
import type { HandlerOptions } from "./handler-options.js"
import { createHandlers } from "./methods.js"

/** Options of {@link answer}. */
export interface AnswerOptions extends ExposureOptions {
  /** The exposure. Default `dynamic`. */
  readonly exposure?: ExposureName
  /** Reports changes in results. Default: no report. */
  readonly catchUp?: boolean | Partial<CatchUpOptions>
  /** Makes calls wait until the application has settled. */
  readonly settle?: SettleOptions
  /** The clock. */
  readonly clock?: Clock
  /** The page size of lists. */
  readonly pageSize?: number
  /** The maximum of text characters in a result. */
  readonly maxResultChars?: number
  /** The maximum of characters in a whole result. */
  readonly wholeResultChars?: number
  /** Whether all callers see the same. */
  readonly shared?: boolean
  /** The extension. */
  readonly extension?: Extension
  /** Options of questions that differ from the defaults. */
  readonly questions?: Partial<QuestionOptions>
  /** Options of long calls that differ from the defaults. */
  readonly long?: Partial<TaskOptions>
  /** Returns the scopes that an action requires. */
  readonly scopes?: ScopesOf
  /** Hides entries from the caller. */
  readonly allow?: (entry: Entry) => boolean
}

/** A service behind its handlers. */
export interface Answering extends Served {
  /** The handlers' options. */
  readonly options: HandlerOptions
  /** Names of the available methods. */
  readonly methods: readonly string[]
  /** Sends a request as over a wire: its result must be plain JSON. */
  request(method: string, params?: Params, context?: CallContext): Promise<Result>
}

/** Serves a service through the handlers. */
export function answer(service: AgenticService, given: AnswerOptions = {}): Answering {
  const { states = "both", pageSize = 1000, maxResultChars = 50_000, shared = false, extension, allow } = given
  const { catchUp = false, settle, clock = hostClock } = given
  const served = serve(service, allow, {
    clock,
    ...(given.questions && { questions: given.questions }),
    ...(given.long && { tasks: given.long }),
    ...(given.scopes && { scopes: given.scopes }),
  })
  const options: HandlerOptions = {
    view: served.view,
    calls: served.calls,
    exposure: createExposure(given.exposure ?? "dynamic", given),
    states,
    pageSize,
    maxResultChars,
    wholeResultChars: given.wholeResultChars ?? 1_000_000,
    shared,
    catchUp: resolveCatchUp(catchUp),
    settle,
    host: served.host,
    extension,
    tasks: given.tasks ?? true,
    longSchema: "either",
    patience: createPatience(),
    serverName: service.name,
  }
  const handlers = createHandlers(options)
  return {
    ...served,
    options,
    methods: Object.keys(handlers),
    async request(method, params = {}, context = contextWith()) {
      const handler = handlers[method]
      if (handler === undefined) throw new Error(`no handler for "${method}"`)
      const result = await handler(params, context)
      expect(JSON.parse(JSON.stringify(result))).toEqual(result)
      return result
    },
  }
}

/** The context of a modern call. */
export const modern: CallContext = contextWith({ leg: { transport: "stdio", era: "modern", notices: true } })
