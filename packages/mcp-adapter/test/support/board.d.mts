import type { AgenticService } from "@x/agentic-service"

/** A small service with every kind of member. */
export interface Board {
  /** The service. */
  readonly service: AgenticService
  /** Makes `undo` appear or disappear. */
  toggle(): void
  /** Changes the state `count`. */
  count(): void
}

/** Creates an empty board. */
export function createBoard(): Board
