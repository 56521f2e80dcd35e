import type { Visitor } from "@x/mcp-adapter/fetch"

/** Answers what is asked with a JSON body; `undefined` is that there is nothing of that name. */
export type Post = (body: Readonly<Record<string, unknown>>, visitor: Visitor) => Promise<object | undefined>
