import type { AgenticService } from "@x/agentic-service"

/** Creates a service of many states with names of given lengths, and an action that changes all in one task. */
export function createBurst(count: number, lengthOf?: (index: number) => number): AgenticService
