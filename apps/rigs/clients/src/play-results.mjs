import assert from "node:assert/strict"
import { join } from "node:path"
import { RESULTS, serveApp } from "../../hosts/src/app.mjs"

const started = {
  command: process.execPath,
  args: [join(import.meta.dirname, "..", "..", "hosts", "src", "serve-app.mjs")],
}

/**
 * Calls tools that return every kind of result, with and without an output schema. Resolves to the number of results that
 * reach the client correctly, as success or failure and with their content.
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
  // Some clients validate results against the listed schemas.
  await connected.list()
  let right = 0
  for (const tool of ["give", "tell"]) {
    for (const [kind, { holds = "", fails = false }] of Object.entries(RESULTS)) {
      const { isError, text } = await connected.call(tool, { kind })
      const read = `${tool} ${kind}: ${isError ? "an error, " : ""}${JSON.stringify(text.slice(0, 200))}`
      assert.equal(isError, fails, read)
      assert.ok(text.includes(holds), `${read} holds ${JSON.stringify(holds)}`)
      assert.ok(text.trim() !== "" || kind === "image", `${read} says something`)
      assert.ok(text.isWellFormed(), `${read} contains no half characters`)
      right += 1
    }
  }
  return right
}
