// The part of WebMCP that pages need to offer tools. The API has changed several times; this file and `registrations.ts` handle
// all differences between its versions.

/** The browser's registry of tools. */
export interface ModelContext {
  /**
   * Registers a tool until the signal aborts. Throws, or since mid-2026 returns a promise that rejects, if the name is taken or
   * a policy forbids tools.
   */
  registerTool(tool: BrowserTool, options: { readonly signal: AbortSignal }): unknown
  /** Unregisters a tool in browsers without signals; absent since March 2026. */
  unregisterTool?(name: string): unknown
}

/** A tool of a page. */
export interface BrowserTool {
  /** The name: `[A-Za-z0-9_.-]`, at most 128 characters. */
  readonly name: string
  /** The title for people. */
  readonly title?: string
  /** The description; never empty. */
  readonly description: string
  /** The JSON Schema of the input. Only the tool checks it. */
  readonly inputSchema: object
  /** The JSON Schema of the result; ignored before Chromium 159. */
  readonly outputSchema?: object
  /** Hints for agents. */
  readonly annotations: BrowserAnnotations
  /** Runs the tool. It never throws, because errors do not reach a caller in the page. */
  execute(input: unknown, context?: unknown): Promise<unknown>
}

/** WebMCP's hints. */
export interface BrowserAnnotations {
  /** Whether it changes nothing. */
  readonly readOnlyHint: boolean
  /** Whether it has important, irreversible effects that a person should approve. */
  readonly consequentialHint: boolean
  /** Whether its result may contain text of others, which must not be obeyed. */
  readonly untrustedContentHint: boolean
}

/** The found API, or the reason for its absence. */
export type Found =
  | { readonly context: ModelContext; readonly reason?: undefined }
  | { readonly context?: undefined; readonly reason: string }

/** Finds the API on `document`, or on `navigator`, where it was until May 2026. Never throws. */
export function findModelContext(page: object = globalThis): Found {
  const { document, navigator, isSecureContext }: PageGlobals = page
  for (const owner of [document, navigator]) {
    const found = readContext(owner)
    if (found instanceof Error) return { reason: `the browser denies WebMCP on this page: ${found.message}` }
    if (found !== undefined) return { context: found }
  }
  if (document === undefined) return { reason: "WebMCP needs a document: found none, as in a worker or in Node" }
  if (isSecureContext === false)
    return { reason: "WebMCP needs a secure context: open the page over https or on localhost" }
  return { reason: "this browser has no WebMCP (document.modelContext)" }
}

/** The used globals of a page, which a neutral library's types do not include. */
type PageGlobals = {
  readonly document?: object
  readonly navigator?: object
  readonly isSecureContext?: boolean
}

/** Reads the API. The browser's getter may throw, for example if `document.domain` is set. */
function readContext(owner: object | undefined): ModelContext | Error | undefined {
  try {
    const { modelContext }: { modelContext?: object } = owner ?? {}
    return modelContext !== undefined && isModelContext(modelContext) ? modelContext : undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown))
  }
}

function isModelContext(value: object | null): value is ModelContext {
  return value !== null && "registerTool" in value && typeof value.registerTool === "function"
}
