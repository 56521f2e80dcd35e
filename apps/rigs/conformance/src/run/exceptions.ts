/** Checks of a scenario that may fail. */
export interface Exception {
  /** The scenario. */
  readonly scenario: string
  /**
   * Its checks that fail; one that does not is a fault, so that this list does not outlive its reasons. `"all"` excuses whatever
   * fails, and is a fault once nothing does.
   */
  readonly checks: readonly string[] | "all"
  /** Why. */
  readonly why: string
}

/** Returns what may fail in one suite on one leg. */
export function exceptionsFor(leg: string, suite: string): readonly Exception[] {
  return [...(EXCEPTIONS[suite] ?? []), ...(EXCEPTIONS[`${leg} ${suite}`] ?? [])]
}

const RESUMING =
  "the suite calls itself a client of 2025-03-26, which no stream may be primed for; one of 2025-11-25 can resume"
const RETRY = "mcp-proxy primes its streams without a time to come back after"
const HOST = "mcp-proxy does not look at the Host header"
const LOGS = "mcp-proxy does not pass on log messages of a modern server: see the leg stdio"
const ASKING = "mcp-proxy passes on no question to the client, and none of its capabilities: see the leg stdio"

const notResumed: Exception = {
  scenario: "server-sse-polling",
  checks: ["server-sse-priming-event", "server-sse-retry-field"],
  why: RESUMING,
}

const hostChecked: Exception = {
  scenario: "dns-rebinding-protection",
  checks: ["localhost-host-rebinding-rejected"],
  why: HOST,
}

/** What a legacy client loses behind mcp-proxy. */
const legacyBehindProxy: readonly Exception[] = [
  hostChecked,
  { scenario: "tools-call-with-logging", checks: ["tools-call-with-logging"], why: LOGS },
  { scenario: "tools-call-sampling", checks: ["tools-call-sampling"], why: ASKING },
  { scenario: "tools-call-elicitation", checks: ["tools-call-elicitation"], why: ASKING },
  { scenario: "elicitation-sep1034-defaults", checks: ["elicitation-sep1034-general"], why: ASKING },
  { scenario: "elicitation-sep1330-enums", checks: ["elicitation-sep1330-general"], why: ASKING },
]

/** What a modern client loses behind mcp-proxy. */
const modernBehindProxy: readonly Exception[] = [
  hostChecked,
  ...Object.entries({
    "basic-elicitation": "elicitation-incomplete",
    "basic-list-roots": "list-roots-incomplete",
    "basic-sampling": "sampling-incomplete",
    "capability-check": "respect-client-capabilities",
    "ignore-extra-params": "ignore-unexpected-params",
    "missing-input-response": "missing-response-rerequests",
    "multi-round": "multi-round-r1",
    "multiple-input-requests": "multiple-inputs-incomplete",
    "non-tool-request": "non-tool-incomplete",
    "request-state": "request-state-incomplete",
    "result-type": "result-type-included",
    "tampered-state": "reject-tampered-state",
  }).map(([scenario, check]) => ({
    scenario: `input-required-result-${scenario}`,
    checks: [`sep-2322-${check}`],
    why: ASKING,
  })),
]

const NOT_OFFERED = "a gateway offers servers the person in front of the client, but neither its model nor its folders"
const STATE = "through a gateway an answer belongs to a question that was put: without its state it is no such"

/** What a legacy client loses behind the gateway. */
const legacyBehindGateway: readonly Exception[] = [
  { scenario: "tools-call-sampling", checks: ["tools-call-sampling"], why: NOT_OFFERED },
]

/** What a modern client loses behind the gateway. */
const modernBehindGateway: readonly Exception[] = [
  ...Object.entries({
    "basic-sampling": "sampling-incomplete",
    "basic-list-roots": "list-roots-incomplete",
    "multiple-input-requests": "multiple-inputs-incomplete",
    "capability-check": "respect-client-capabilities",
  }).map(([scenario, check]) => ({
    scenario: `input-required-result-${scenario}`,
    checks: [`sep-2322-${check}`],
    why: NOT_OFFERED,
  })),
  {
    scenario: "input-required-result-ignore-extra-params",
    checks: ["sep-2322-ignore-unexpected-params"],
    why: STATE,
  },
]

const TASKS: readonly string[] = `
  tasks-lifecycle tasks-capability-negotiation tasks-wire-fields tasks-request-state-removal
  tasks-mrtr-input tasks-request-headers tasks-dispatch-and-envelope tasks-status-notifications
  tasks-required-task-error tasks-mrtr-composition`
  .trim()
  .split(/\s+/)

const NO_TASKS =
  "the fixture has no tool that runs as a task: the extension io.modelcontextprotocol/tasks is not served"

/** What a server without the tasks extension fails; none of it is scored. */
const withoutTasks: readonly Exception[] = TASKS.map((scenario) => ({ scenario, checks: "all", why: NO_TASKS }))

const NO_PARAM_HEADERS =
  "headers of parameters are not compared with the arguments: no action's schema is published with x-mcp-header, and the adapter does not know the schema of an extension's tool"

/** What fails because of that; it is not scored. */
const paramHeaders: Exception = {
  scenario: "http-custom-header-server-validation",
  checks: "all",
  why: NO_PARAM_HEADERS,
}

/** By suite, or by leg and suite. */
const EXCEPTIONS: Readonly<Record<string, readonly Exception[]>> = {
  "0.2.0-alpha.12 2026-07-28": [...withoutTasks, paramHeaders],
  "stdio 0.1.16 all": [notResumed],
  "stdio 0.2.0-alpha.12 2025-11-25": [notResumed],
  "proxy 0.1.16 all": [notResumed, ...legacyBehindProxy],
  "proxy 0.2.0-alpha.12 2025-11-25": [
    { scenario: "server-sse-polling", checks: ["server-sse-retry-field"], why: RETRY },
    ...legacyBehindProxy,
  ],
  "proxy 0.2.0-alpha.12 2026-07-28": modernBehindProxy,
  "gateway 0.1.16 all": legacyBehindGateway,
  "gateway 0.2.0-alpha.12 2025-11-25": legacyBehindGateway,
  "gateway 0.2.0-alpha.12 2026-07-28": modernBehindGateway,
}
