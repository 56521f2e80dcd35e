// All public functions whose result has a `close`, by entry and name: how to open it, its dependencies, and its users. A test
// compares the names with the exports of all packages: a new function needs a line here.
import { linked } from "./cases-linked.mjs"
import { served } from "./cases-served.mjs"

export const cases = { ...served, ...linked }
