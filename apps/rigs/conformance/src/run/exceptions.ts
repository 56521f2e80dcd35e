import { gatewayDifferences } from "./gateway-differences.js"

/** Checks of a scenario that may fail. */
export interface Exception {
  /** The scenario. */
  readonly scenario: string
  /**
   * The checks expected to fail. One that passes is a fault, which keeps this list current. `"all"` excuses whatever fails, and
   * is a fault once nothing does.
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
  "the suite claims to be a client of 2025-03-26, for which a stream must not be primed; a client of 2025-11-25 can resume"
const RETRY = "mcp-proxy primes its streams without a retry time"
const HOST = "mcp-proxy does not check the Host header"
const LOGS = "mcp-proxy does not forward log messages of a modern server: see the leg stdio"
const ASKING = "mcp-proxy forwards neither questions to the client nor the client's capabilities: see the leg stdio"

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

/** Scenarios that mcp-proxy breaks for legacy clients. */
const legacyBehindProxy: readonly Exception[] = [
  hostChecked,
  { scenario: "tools-call-with-logging", checks: ["tools-call-with-logging"], why: LOGS },
  { scenario: "tools-call-sampling", checks: ["tools-call-sampling"], why: ASKING },
  { scenario: "tools-call-elicitation", checks: ["tools-call-elicitation"], why: ASKING },
  { scenario: "elicitation-sep1034-defaults", checks: ["elicitation-sep1034-general"], why: ASKING },
  { scenario: "elicitation-sep1330-enums", checks: ["elicitation-sep1330-general"], why: ASKING },
]

/** Scenarios that mcp-proxy breaks for modern clients. */
const modernBehindProxy: readonly Exception[] = [
  hostChecked,
  {
    scenario: "http-custom-header-server-validation",
    checks: ["reject-invalid-param-chars", "reject-param-mismatch", "validate-param-match"].map(
      (check) => `sep-2243-server-${check}`,
    ),
    why: "mcp-proxy neither compares the headers of arguments nor forwards them",
  },
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

const TASKS: readonly string[] = `
  tasks-lifecycle tasks-capability-negotiation tasks-wire-fields tasks-request-state-removal
  tasks-mrtr-input tasks-request-headers tasks-dispatch-and-envelope
  tasks-mrtr-composition`
  .trim()
  .split(/\s+/)

const NO_TASKS = "the server in front does not pass on the extension io.modelcontextprotocol/tasks"

/** Scenarios that fail behind a server without the tasks extension. */
const withoutTasks: readonly Exception[] = TASKS.map((scenario) => ({ scenario, checks: "all", why: NO_TASKS }))

/** The suite skips this scenario by itself: a test of the adapter, with the requirement "tasks-notify", stands in for it. */
const taskNotices: Exception = {
  scenario: "tasks-status-notifications",
  checks: "all",
  why: "the suite does not read the listen stream yet",
}

const headersOfHttp: Exception = {
  scenario: "http-custom-header-server-validation",
  checks: ["reject-invalid-param-chars", "reject-param-mismatch", "validate-param-match"].map(
    (check) => `sep-2243-server-${check}`,
  ),
  why: "a pipe has no headers, so nothing is compared with them: see the leg http",
}

/** The exceptions, indexed by suite, or by leg and suite. */
const EXCEPTIONS: Readonly<Record<string, readonly Exception[]>> = {
  "0.2.0-alpha.12 2026-07-28": [taskNotices],
  "stdio 0.1.16 all": [notResumed],
  "stdio 0.2.0-alpha.12 2026-07-28": [headersOfHttp],
  "stdio 0.2.0-alpha.12 2025-11-25": [notResumed],
  "proxy 0.1.16 all": [notResumed, ...legacyBehindProxy],
  "proxy 0.2.0-alpha.12 2025-11-25": [
    { scenario: "server-sse-polling", checks: ["server-sse-retry-field"], why: RETRY },
    ...legacyBehindProxy,
  ],
  "proxy 0.2.0-alpha.12 2026-07-28": [...modernBehindProxy, ...withoutTasks],
  ...gatewayDifferences,
}
