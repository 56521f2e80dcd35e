import type { CallContext } from "../calls/call-context.js"

/** Answers one MCP method: plain parameters in, plain result out, {@link ProtocolError} thrown for a caller's mistake. */
export type Handler = (params: Params, context: CallContext) => Promise<Result>

/** A request's parameters, already checked by the SDK against the spec's schema. */
export type Params = Readonly<Record<string, unknown>>

/** A method's result: plain JSON. A `type` so that SDK result types accept it. */
export type Result = { [key: string]: unknown }

/** The methods that are ours, by name; bindings put them on whatever server they have. */
export type Handlers = Readonly<Record<string, Handler>>
