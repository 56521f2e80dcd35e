import type { CallLimits, McpAdapter, McpAdapterOptions } from "../../src/index.js"

/** A service with every behaviour of actions, adapted. */
export interface Lab {
  /** The adapter. */
  readonly adapter: McpAdapter
  /** Advances the clock, in milliseconds; nothing else does. */
  advance(milliseconds: number): void
}

/** Creates a lab. Its actions and calls report to the journal, line by line. */
export function createLab(calls: Partial<CallLimits>, tell: (line: string) => void): Lab

/** Creates a clock that is advanced by hand. Tasks still end by themselves. */
export function createClock(): NonNullable<McpAdapterOptions["clock"]> & {
  /** Advances the clock, in milliseconds. */
  advance(milliseconds: number): void
}
