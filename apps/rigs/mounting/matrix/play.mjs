import { deepStrictEqual, ok } from "node:assert"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

/**
 * Plays the parts of MCP that must work, with the SDK's client in both eras: list, call, progress and a changed list while
 * streams are open, and the end of a session.
 *
 * @param page - The client's `fetch` and its `authProvider`.
 */
export async function play(url, board, page) {
  for (const era of ["legacy", "modern"]) {
    const { client, transport, streaming } = await connect(url, era, page)
    try {
      deepStrictEqual(client.getProtocolEra(), era)
      ok(
        (await client.listTools()).tools.some(({ name }) => name === "add"),
        'the list has no tool "add"',
      )
      const { structuredContent } = await client.callTool({ name: "add" })
      ok(structuredContent?.result > 0, "the call had no result")
      await within(
        client.callTool({ name: "count" }, { onprogress: board.progressRead }),
        "progress did not arrive while its stream was open",
      )
      if (era === "modern") await client.listen({ toolsListChanged: true })
      else await within(streaming, "no stream for notices was opened")
      const told = new Promise((resolve) => client.setNotificationHandler("notifications/tools/list_changed", resolve))
      await client.callTool({ name: "toggle" })
      await within(told, "no notification of a changed list arrived while the stream was open")
      if (era === "legacy") await endSession(transport, board)
    } finally {
      await client.close()
    }
  }
}

/** Connects the SDK's client. `streaming` resolves once a legacy client has opened its notice stream, which it does itself. */
async function connect(url, era, { fetch, authProvider }) {
  const client = new Client(
    { name: "rig", version: "0" },
    { versionNegotiation: { mode: era === "modern" ? "auto" : "legacy" } },
  )
  let opened = () => {}
  const streaming = new Promise((resolve) => {
    opened = resolve
  })
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    async fetch(input, init) {
      const response = await fetch(input, init)
      if (init?.method === "GET" && response.headers.get("content-type") === "text/event-stream") opened()
      return response
    },
    ...(authProvider && { authProvider }),
  })
  await within(client.connect(transport), "the client did not connect")
  return { client, transport, streaming }
}

async function endSession(transport, { sessions }) {
  ok(transport.sessionId !== undefined, "the client could not read the header Mcp-Session-Id")
  const before = sessions()
  await transport.terminateSession()
  deepStrictEqual(sessions(), before - 1)
}

async function within(promise, problem) {
  let timer
  const over = new Promise((_, reject) => {
    timer = setTimeout(reject, 15_000, new Error(`${problem}: waited for 15 s`))
  })
  return Promise.race([promise, over]).finally(() => clearTimeout(timer))
}
