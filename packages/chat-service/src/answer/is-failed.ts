import type { Failed } from "@x/agentic-service"
import type { Answer } from "./piece.js"

/** Tells a failure from any other answer. */
export function isFailed(answer: Answer): answer is Failed {
  return typeof answer === "object" && "ok" in answer
}
