import type { AgenticService } from "@x/agentic-service"

/** A service of many states with long names, and an action that changes all of them in one task. */
export function createBurst(count: number): AgenticService
