import { connectInMemory } from "@x/mcp-adapter/in-memory"
import { createCaller } from "./in-memory-caller.mjs"
import { createApplication } from "./ours.mjs"

export async function serve(options) {
  const { adapter } = await createApplication(options)
  return { run: await createCaller(connectInMemory(adapter)) }
}
