import { serveApp } from "../../hosts/src/app.mjs"

/**
 * Restarts a server on its port while a client is connected, whose session the new server does not know. Resolves to whether
 * the client's next calls succeed: after the 404 for its session, and with a server that takes up unknown sessions.
 */
export async function playRestart(client) {
  return { forgets: await restartUnder(client, false), takesUp: await restartUnder(client, true) }
}

async function restartUnder(client, takeUpSessions) {
  const { connect } = await import(`../drivers/${client.driver}.mjs`)
  let server = await serveApp({ takeUpSessions })
  const port = Number(new URL(server.url).port)
  const connected = await connect({ url: server.url }, client.way)
  try {
    await connected.list()
    await connected.call("give", { kind: "boolean" })
    await server.close()
    // The duration of a fast restart. A client that calls earlier may not have noticed yet that its connections ended.
    await new Promise((resolve) => setTimeout(resolve, 500))
    server = await serveApp({ port, takeUpSessions })
    const first = await attempt(connected)
    return first === "yes" || (await attempt(connected)) !== "yes" ? first : "on the second call"
  } finally {
    await connected.close().catch(() => undefined)
    await server.close()
  }
}

async function attempt(connected) {
  try {
    const { isError, text } = await connected.call("give", { kind: "boolean" })
    return !isError && text.includes("true") ? "yes" : "no"
  } catch {
    return "no"
  }
}
