import assert from "node:assert/strict"
import { join } from "node:path"
import { RESULTS, serveApp } from "../../hosts/src/app.mjs"

const started = {
  command: process.execPath,
  args: [join(import.meta.dirname, "..", "..", "hosts", "src", "serve-app.mjs")],
}

/**
 * Has a client call what returns a result of every kind, with an output schema and without one: each has to come out as the success
 * or the failure that it was, with what it holds. Resolves to how many came out so.
 */
export async function playResults(client, leg) {
  const { connect } = await import(`../drivers/${client.driver}.mjs`)
  const app = leg === "HTTP" ? await serveApp() : undefined
  try {
    const connected = await connect(app === undefined ? started : { url: app.url }, client.way)
    try {
      return await callAll(connected)
    } finally {
      await connected.close()
    }
  } finally {
    await app?.close()
  }
}

async function callAll(connected) {
  // Some check results against what they have listed.
  await connected.list()
  let right = 0
  for (const tool of ["give", "tell"]) {
    for (const [kind, { holds = "", fails = false }] of Object.entries(RESULTS)) {
      const { isError, text } = await connected.call(tool, { kind })
      const read = `${tool} ${kind}: ${isError ? "an error, " : ""}${JSON.stringify(text.slice(0, 200))}`
      assert.equal(isError, fails, read)
      assert.ok(text.includes(holds), `${read} holds ${JSON.stringify(holds)}`)
      assert.ok(text.trim() !== "" || kind === "image", `${read} says something`)
      assert.ok(text.isWellFormed(), `${read} is made of whole characters`)
      right += 1
    }
  }
  return right
}
