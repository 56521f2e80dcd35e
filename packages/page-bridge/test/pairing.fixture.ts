// A hosted page that can be paired.
import { action, createAgenticService } from "@x/agentic-service"
import { connectPaired } from "../src/pairing.js"

const add = action({ description: "Add one", execute: () => ({ done: true }) })
connectPaired(createAgenticService({ name: "board", actions: { add } })).then(({ page }) => {
  Object.assign(globalThis, { state: page === undefined ? "unpaired" : "connecting" })
  page?.status.subscribe(({ state }) => Object.assign(globalThis, { state }))
}, reportError)
