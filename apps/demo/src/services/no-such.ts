import { type Failed, fail } from "@x/agentic-service"

/** Returns a failure: the id is unknown, and which ids exist. */
export function noSuch(kind: "card" | "column", id: string, known: readonly { readonly id: string }[]): Failed {
  const ids = known.map((item) => `"${item.id}"`).join(", ")
  return fail(`there is no ${kind} "${id}"`, {
    code: "not_found",
    recovery: ids === "" ? `the board has no ${kind} now` : `choose from ${ids}`,
  })
}
