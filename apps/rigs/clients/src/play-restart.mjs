import { serveApp } from "../../hosts/src/app.mjs"

/**
 * Starts a server again, on its port, under a client that has called it; it does not know the client's session. Resolves to what the
 * client's next calls come to: whether it comes again by itself on the 404, and whether its session is taken up where that
 * is allowed.
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
    // As long as a fast one takes: a client that calls in the same moment meets connections that it has not seen end.
    await new Promise((resolve) => setTimeout(resolve, 500))
    server = await serveApp({ port, takeUpSessions })
    const first = await attempt(connected)
    return first === "yes" || (await attempt(connected)) !== "yes" ? first : "at the second call"
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
