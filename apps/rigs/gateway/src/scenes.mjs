import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { LOG_LEVEL_META_KEY } from "@modelcontextprotocol/client"

// Scenes of several messages, such as a call with progress. Each returns the observations of client and server as plain JSON,
// which must be the same behind a gateway.

/** Milliseconds to wait for a notification. */
const PATIENCE = 10_000

/** Cancels a call after its first progress: the server is notified once, and the client receives no more progress. */
export function cancel(name, args) {
  return async ({ client, heard, reached }) => {
    const abort = new AbortController()
    const progress = new Promise((resolve) => heard.once("notifications/progress", resolve))
    const call = client.request(
      { method: "tools/call", params: { name, arguments: args } },
      { signal: abort.signal, onprogress: () => {} },
    )
    call.catch(() => undefined)
    await within(progress)
    abort.abort()
    const rejected = await call.then(
      () => false,
      () => true,
    )
    await until(() => reached("notifications/cancelled") > 0)
    heard.take("notifications/progress")
    // Waits long enough for more progress of a call that goes on.
    await sleep(1_000)
    const later = heard.take("notifications/progress").length
    return { rejected, told: reached("notifications/cancelled"), ...(later > 0 && { later }) }
  }
}

/** Calls a tool that elicits input. Returns the questions, and the result for each kind of answer. */
export function question(name, args, content) {
  return async ({ client }) => {
    const asked = []
    let answer
    client.setRequestHandler("elicitation/create", ({ params: { message, requestedSchema } }) => {
      asked.push({ message, requestedSchema })
      return answer
    })
    const results = []
    for (const each of [{ action: "decline" }, { action: "cancel" }, { action: "accept", content }]) {
      answer = each
      const { content: said, isError } = await client.callTool({ name, arguments: args })
      results.push({ said, isError: isError ?? false })
    }
    return { asked, results: JSON.parse(JSON.stringify(results)) }
  }
}

/** Calls a tool that writes log messages. Returns those that the client received. */
export function logging(name, args) {
  return async ({ client, heard }) => {
    const isModern = client.getProtocolEra() === "modern"
    if (!isModern) await client.setLoggingLevel("debug")
    heard.take("notifications/message")
    const level = isModern && { _meta: { [LOG_LEVEL_META_KEY]: "debug" } }
    await client.request({ method: "tools/call", params: { name, arguments: args, ...level } })
    return { logged: heard.take("notifications/message").map(({ _meta: _, ...message }) => message) }
  }
}

/** Calls a tool that samples the client's model. Returns the messages and the result. */
export function sampling(name, args) {
  return async ({ client }) => {
    const put = []
    client.setRequestHandler("sampling/createMessage", ({ params: { messages, maxTokens } }) => {
      put.push({ messages, maxTokens })
      return { model: "rig", role: "assistant", content: { type: "text", text: "a thought" } }
    })
    const { content, isError } = await client.callTool({ name, arguments: args })
    return { put, result: JSON.parse(JSON.stringify({ content, isError: isError ?? false })) }
  }
}

/** Calls a tool that changes a list, and waits for the notice. Returns the added and removed names of the new list. */
export function change(kind, name, args) {
  return async ({ client, heard }) => {
    const read = { tools: "listTools", resources: "listResources" }[kind]
    const names = async () => (await client[read](undefined, { cacheMode: "refresh" }))[kind].map((item) => item.name)
    const stream = await listen(client, { [`${kind}ListChanged`]: true })
    const before = await names()
    const told = new Promise((resolve) => heard.once(`notifications/${kind}/list_changed`, resolve))
    await client.callTool({ name, arguments: args })
    await within(told)
    const after = await names()
    await stream?.close()
    return {
      came: after.filter((each) => !before.includes(each)),
      went: before.filter((each) => !after.includes(each)),
    }
  }
}

/** Calls a tool that changes a subscribed resource, and waits for the notice. Returns its URI and the new contents. */
export function update(uri, name, args) {
  return async ({ client, heard }) => {
    const stream = await listen(client, { resourceSubscriptions: [uri] })
    if (stream === undefined) await client.subscribeResource({ uri })
    const told = new Promise((resolve) => heard.once("notifications/resources/updated", resolve))
    await client.callTool({ name, arguments: args })
    const { uri: which } = await within(told)
    const { contents } = await client.readResource({ uri }, { cacheMode: "refresh" })
    await stream?.close()
    return { which, contents: contents.map(({ text }) => text) }
  }
}

/** Opens a listen stream, which only modern clients need. */
async function listen(client, filter) {
  return client.getProtocolEra() === "modern" ? client.listen(filter) : undefined
}

async function within(promise) {
  const late = sleep(PATIENCE, undefined, { ref: false }).then(() => {
    throw new Error("no notification arrived in time")
  })
  return Promise.race([promise, late])
}

async function until(holds) {
  for (let waited = 0; waited < PATIENCE && !holds(); waited += 10) await sleep(10)
}

/** Counts how often a method reached a server behind the tap. */
export function reachedIn(file) {
  return (method) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((each) => each === method).length
}
