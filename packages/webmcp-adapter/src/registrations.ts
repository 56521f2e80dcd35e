import { sameValue } from "@x/tool-schemas/json"
import type { BrowserTool, ModelContext } from "./model-context.js"

/** A tool that the browser did not take. */
export interface Refused {
  /** Its name. */
  readonly name: string
  /** Why, in the browser's words. */
  readonly reason: string
  /** Whether it would refuse any tool here: a policy of the page, or of its frame, forbids them. */
  readonly all: boolean
}

/** The tools of a page that the browser holds for us. */
export interface Registrations {
  /**
   * Makes the browser hold these tools, and no other of ours: new ones are registered, those that are gone or redefined taken
   * back. One that was refused is tried again once its definition is another, or its name is free.
   *
   * @returns What became of them, once the browser has said.
   */
  sync(tools: readonly BrowserTool[]): Promise<{ readonly held: number; readonly refused: readonly Refused[] }>
  /** Takes all tools back; calls that run go on to their end. Idempotent. */
  close(): void
}

/** One tool of ours, from its registration on. */
interface Held {
  readonly tool: BrowserTool
  /** Takes it back. */
  release(): void
  /** Why the browser did not take it, once that is known; `undefined` where it did. */
  readonly taken: Promise<Refused | undefined>
  /** The same, as far as it is known. */
  refused?: Refused
}

/** Nothing registered yet. */
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

/** What is registered under a name finds its action when it is called: only what is told of it counts. */
function samePublished(one: BrowserTool, other: BrowserTool): boolean {
  return one === other || sameValue({ ...one, execute: undefined }, { ...other, execute: undefined })
}

function register(context: ModelContext, tool: BrowserTool): Held {
  const controller = new AbortController()
  const held: Held = {
    tool,
    release() {
      controller.abort()
      // Only a browser of the time before signals has it, and there it is the only way.
      attempt(() => context.unregisterTool?.(tool.name))
    },
    taken: settle(() => context.registerTool(tool, { signal: controller.signal })).then((thrown) => {
      // What was taken back before the browser answered is no refusal.
      if (thrown === undefined || controller.signal.aborted) return undefined
      held.refused = toRefused(tool.name, thrown.cause)
      return held.refused
    }),
  }
  return held
}

/** What a function throws or rejects with; `undefined` where it comes to an end. */
async function settle(run: () => unknown): Promise<{ readonly cause: unknown } | undefined> {
  try {
    await run()
    return undefined
  } catch (cause) {
    return { cause }
  }
}

function attempt(run: () => unknown): void {
  // A refusal to forget a tool leaves nothing to do.
  settle(run).catch(() => undefined)
}

function toRefused(tool: string, cause: unknown): Refused {
  const { name = "", message = String(cause) }: { name?: string; message?: string } = Object(cause)
  return { name: tool, reason: message, all: name === "NotAllowedError" || name === "SecurityError" }
}
