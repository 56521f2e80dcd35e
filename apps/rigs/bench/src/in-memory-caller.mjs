/** Creates a caller over one end of a pair of transports. Calls run one after another; their cost includes both ends. */
export async function createCaller(transport) {
  const waiting = new Map()
  transport.onmessage = (message) => waiting.get(message.id)?.(message)
  await transport.start()
  const send = (id, method, params) =>
    new Promise((resolve) => {
      waiting.set(id, resolve)
      void transport.send({ jsonrpc: "2.0", id, method, params })
    }).finally(() => waiting.delete(id))
  const clientInfo = { name: "bench", version: "1.0.0" }
  await send(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo })
  await transport.send({ jsonrpc: "2.0", method: "notifications/initialized" })
  return async (count) => {
    const before = process.cpuUsage()
    for (let id = 1; id <= count; id += 1) {
      const { result } = await send(id, "tools/call", { name: "echo", arguments: { text: "hello" } })
      if (!result?.content?.[0]?.text.includes("hello")) throw new Error("the answer does not contain the sent text")
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / count
  }
}
