import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

// What takes more than a question and its answer. Each scene is played by a client, and says what the client, and the server,
// saw of it: plain JSON, the same behind a gateway.

/** How long something may take to be told, in milliseconds. */
const PATIENCE = 10_000

/** A call is given up once it has told of progress: the server is told once, the client hears no more, and the next call is answered. */
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
    // As long as the call would have had to tell of more.
    await sleep(1_000)
    const later = heard.take("notifications/progress").length
    return { rejected, told: reached("notifications/cancelled"), ...(later > 0 && { later }) }
  }
}

/** A call asks the person: what is asked, and what comes of each answer. */
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

/** A call changes a list: it is told, and read anew has what came and lacks what went. */
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

/** A call changes a resource that somebody follows: it is told, and read anew has the new value. */
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

/** Clients of the modern era hear over a stream. */
async function listen(client, filter) {
  return client.getProtocolEra() === "modern" ? client.listen(filter) : undefined
}

async function within(promise) {
  const late = sleep(PATIENCE, undefined, { ref: false }).then(() => {
    throw new Error("it was not told")
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
