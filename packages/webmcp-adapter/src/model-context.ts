// What browsers have of WebMCP, as far as a page needs it that offers tools. The API has moved several times: everything that
// differs between its shapes is met here and in `registrations.ts`.

/** Where a page registers its tools. */
export interface ModelContext {
  /**
   * Registers a tool until the signal aborts. Throws, or rejects where it answers with a promise (since mid-2026), for a name
   * that is taken and where a policy forbids it.
   */
  registerTool(tool: BrowserTool, options: { readonly signal: AbortSignal }): unknown
  /** The way back before there were signals; absent since March 2026. */
  unregisterTool?(name: string): unknown
}

/** A tool as a page registers it. */
export interface BrowserTool {
  /** `[A-Za-z0-9_.-]`, at most 128 characters. */
  readonly name: string
  /** A name for people. */
  readonly title?: string
  /** What it does; never empty. */
  readonly description: string
  /** JSON Schema of the input; nobody checks by it but the tool. */
  readonly inputSchema: object
  /** JSON Schema of the result; ignored before Chromium 159. */
  readonly outputSchema?: object
  /** What an agent may assume. */
  readonly annotations: BrowserAnnotations
  /** Runs it. What it throws is lost to a caller in the page, so it never does. */
  execute(input: unknown, context?: unknown): Promise<unknown>
}

/** Hints in the words of WebMCP. */
export interface BrowserAnnotations {
  /** Changes nothing. */
  readonly readOnlyHint: boolean
  /** May do something that matters and cannot be taken back: a person should agree. */
  readonly consequentialHint: boolean
  /** What it answers may hold text of others, not to be obeyed. */
  readonly untrustedContentHint: boolean
}

/** The API, or why there is none. */
export type Found =
  | { readonly context: ModelContext; readonly reason?: undefined }
  | { readonly context?: undefined; readonly reason: string }

/** Looks for the API: on `document`, and on `navigator`, where it was until May 2026. Never throws. */
export function findModelContext(page: object = globalThis): Found {
  const { document, navigator, isSecureContext }: PageGlobals = page
  for (const owner of [document, navigator]) {
    const found = readContext(owner)
    if (found instanceof Error) return { reason: `the browser refuses WebMCP here: ${found.message}` }
    if (found !== undefined) return { context: found }
  }
  if (document === undefined)
    return { reason: "WebMCP is for documents: there is none here, as in a worker or in Node" }
  if (isSecureContext === false) return { reason: "WebMCP needs a secure context: https, or a page of localhost" }
  return { reason: "this browser has no WebMCP (document.modelContext)" }
}

/** What is looked at in a page; none of it is in the types of a neutral library. */
type PageGlobals = {
  readonly document?: object
  readonly navigator?: object
  readonly isSecureContext?: boolean
}

/** A getter of the browser's may throw, such as where `document.domain` is in use. */
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
