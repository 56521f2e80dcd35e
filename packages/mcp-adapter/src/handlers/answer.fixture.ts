import type { AgenticService } from "@x/agentic-service"
import { expect } from "vitest"
import type { CallContext } from "../calls/call-context.js"
import { contextWith, type Served, serve } from "../calls/serve.fixture.js"
import type { Entry } from "../catalogue/entry.js"
import { createExposure } from "../exposures/create-exposure.js"
import type { ExposureName, ExposureOptions } from "../exposures/exposure.js"
import { type Clock, hostClock } from "../runtime/host.js"
import { createPatience } from "./call-tool.js"
import { type CatchUpOptions, resolveCatchUp, type SettleOptions } from "./catch-up.js"
import type { Extension } from "./extension.js"
import type { Params, Result } from "./handler.js"
import type { HandlerOptions } from "./handler-options.js"
import { createHandlers } from "./methods.js"

/** How {@link answer} serves. */
export interface AnswerOptions extends ExposureOptions {
  /** The face. Default `dynamic`. */
  readonly exposure?: ExposureName
  /** How results tell what changed. Default: not at all. */
  readonly catchUp?: boolean | Partial<CatchUpOptions>
  /** How calls wait for rest. */
  readonly settle?: SettleOptions
  /** Time. */
  readonly clock?: Clock
  /** The most items on a page. */
  readonly pageSize?: number
  /** The most characters of text in a result. */
  readonly maxResultChars?: number
  /** The most characters of a result in all. */
  readonly wholeResultChars?: number
  /** Whether everybody sees the same. */
  readonly shared?: boolean
  /** What is offered besides. */
  readonly extension?: Extension
  /** What the caller may know of. */
  readonly allow?: (entry: Entry) => boolean
}

/** A service behind its handlers. */
export interface Answering extends Served {
  /** What the handlers were made with. */
  readonly options: HandlerOptions
  /** The methods there are. */
  readonly methods: readonly string[]
  /** Sends a request as a wire would: what comes back must be plain JSON. */
  request(method: string, params?: Params, context?: CallContext): Promise<Result>
}

/** Serves a service through the handlers. */
export function answer(service: AgenticService, given: AnswerOptions = {}): Answering {
  const { states = "both", pageSize = 1000, maxResultChars = 50_000, shared = false, extension, allow } = given
  const { catchUp = false, settle, clock = hostClock } = given
  const served = serve(service, allow, { clock })
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

/** A context of the modern era. */
export const modern: CallContext = contextWith({ leg: { transport: "stdio", era: "modern", notices: true } })
