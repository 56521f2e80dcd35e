// Everything public that has a `close`, by entry and name: how it is opened, what it stands on, and who holds on to it. A test
// compares the names with the exports of all packages: whatever is new needs a line here.
import { linked } from "./cases-linked.mjs"
import { served } from "./cases-served.mjs"

export const cases = { ...served, ...linked }
