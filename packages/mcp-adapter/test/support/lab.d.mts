import type { CallLimits, McpAdapter, McpAdapterOptions } from "../../src/index.js"

/** A service of actions that behave in every way an action can, adapted. */
export interface Lab {
  /** What is served. */
  readonly adapter: McpAdapter
  /** Lets time pass, in milliseconds; nothing else does. */
  advance(milliseconds: number): void
}

/** Creates it. What the actions do and what becomes of their calls is told a line at a time. */
export function createLab(calls: Partial<CallLimits>, tell: (line: string) => void): Lab

/** A clock that is moved by hand, but for the ends of tasks. */
export function createClock(): NonNullable<McpAdapterOptions["clock"]> & {
  /** Lets time pass, in milliseconds. */
  advance(milliseconds: number): void
}
