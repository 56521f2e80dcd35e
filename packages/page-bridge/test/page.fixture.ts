// A page of an app without Vite, with the one call it needs.
import { action, createAgenticService } from "@x/agentic-service"
import { connectPage } from "../src/index.js"

const add = action({ description: "Add one", execute: () => ({ done: true }) })
const page = connectPage(createAgenticService({ name: "board", actions: { add } }))
page.status.subscribe((status) => Object.assign(globalThis, { state: status.state, status }))
