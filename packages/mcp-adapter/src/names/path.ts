/** A service's place in the graph: the link keys that lead to it from the root; empty for the root. */
export type Path = readonly string[]
