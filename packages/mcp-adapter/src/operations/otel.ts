export type { Watcher } from "./observe.js"
export { type TraceCallsOptions, type Traced, traceCalls } from "./otel/trace-calls.js"
