import type { AgenticService } from "@x/agentic-service"

/** A small service with one of everything a leg has to carry. */
export interface Board {
  /** The service. */
  readonly service: AgenticService
  /** Makes `undo` appear or disappear. */
  toggle(): void
  /** Changes the state `count`. */
  count(): void
}

/** A board with nothing on it. */
export function createBoard(): Board
