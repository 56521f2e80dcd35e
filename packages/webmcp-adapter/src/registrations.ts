import { sameValue } from "@x/base"
import type { BrowserTool, ModelContext } from "./model-context.js"

/** A tool that the browser rejected. */
export interface Refused {
  /** The tool's name. */
  readonly name: string
  /** The browser's reason. */
  readonly reason: string
  /** Whether the browser rejects all tools here, because a policy of the page or its frame forbids them. */
  readonly all: boolean
}

/** The tools that this page has registered in the browser. */
export interface Registrations {
  /**
   * Registers exactly these tools: adds new ones, and removes missing and redefined ones. A rejected tool is tried again once
   * its definition has changed or its name is free.
   *
   * @returns The number of registered tools and the rejected ones, once the browser has answered.
   */
  sync(tools: readonly BrowserTool[]): Promise<{ readonly held: number; readonly refused: readonly Refused[] }>
  /** Unregisters all tools; running calls continue. Idempotent. */
  close(): void
}

/** A registered tool. */
interface Held {
  readonly tool: BrowserTool
  /** Unregisters the tool. */
  release(): void
  /** Resolves with the rejection, or with `undefined` if the browser accepted the tool. */
  readonly taken: Promise<Refused | undefined>
  /** The rejection, once known. */
  refused?: Refused
}

/** Creates an empty set of registrations. */
export function createRegistrations(context: ModelContext): Registrations {
  const held = new Map<string, Held>()
  let closed = false
  const drop = (name: string): void => {
    held.get(name)?.release()
    held.delete(name)
  }
  const dropStale = (wanted: ReadonlyMap<string, BrowserTool>): void => {
    for (const [name, { tool, refused }] of [...held]) {
      const next = wanted.get(name)
      if (next === undefined || refused !== undefined || !samePublished(tool, next)) drop(name)
    }
  }
  return {
    async sync(tools) {
      if (closed) return { held: 0, refused: [] }
      dropStale(new Map(tools.map((tool) => [tool.name, tool])))
      for (const tool of tools) if (!held.has(tool.name)) held.set(tool.name, register(context, tool))
      const results = await Promise.all([...held.values()].map(({ taken }) => taken))
      const refused = results.filter((one) => one !== undefined)
      return { held: results.length - refused.length, refused }
    },
    close() {
      closed = true
      for (const name of [...held.keys()]) drop(name)
    },
  }
}

/** Compares published data only. A registered tool looks up its action when it is called. */
function samePublished(one: BrowserTool, other: BrowserTool): boolean {
  return one === other || sameValue({ ...one, execute: undefined }, { ...other, execute: undefined })
}

function register(context: ModelContext, tool: BrowserTool): Held {
  const controller = new AbortController()
  const held: Held = {
    tool,
    release() {
      controller.abort()
      // Only browsers without signals have this method.
      attempt(() => context.unregisterTool?.(tool.name))
    },
    taken: settle(() => context.registerTool(tool, { signal: controller.signal })).then((thrown) => {
      // A tool unregistered before the browser answered does not count as rejected.
      if (thrown === undefined || controller.signal.aborted) return undefined
      held.refused = toRefused(tool.name, thrown.cause)
      return held.refused
    }),
  }
  return held
}

/** Returns the error that a function throws or rejects with; `undefined` if it succeeds. */
async function settle(run: () => unknown): Promise<{ readonly cause: unknown } | undefined> {
  try {
    await run()
    return undefined
  } catch (cause) {
    return { cause }
  }
}

function attempt(run: () => unknown): void {
  // Ignores errors: a failed unregistration has no remedy.
  settle(run).catch(() => undefined)
}

function toRefused(tool: string, cause: unknown): Refused {
  const { name = "", message = String(cause) }: { name?: string; message?: string } = Object(cause)
  return { name: tool, reason: message, all: name === "NotAllowedError" || name === "SecurityError" }
}
