import type { AgenticService } from "@x/agentic-service"

/** A service of many states with names of such lengths, and an action that changes all of them in one task. */
export function createBurst(count: number, lengthOf?: (index: number) => number): AgenticService
