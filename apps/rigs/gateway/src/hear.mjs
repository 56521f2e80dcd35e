/**
 * Records all notifications that a client receives, in order. Reads them from the transport: the SDK's client drops progress
 * that arrives in the same chunk as the answer, which on a pipe happens at random.
 */
export function hear(client) {
  const { transport } = client
  const { onmessage } = transport
  let heard = []
  const waiting = new Map()
  transport.onmessage = (message, extra) => {
    if ("method" in message && !("id" in message)) {
      heard.push(message)
      waiting.get(message.method)?.(message.params)
      waiting.delete(message.method)
    }
    onmessage(message, extra)
  }
  return {
    /** Takes a method's messages received since the last call. */
    take(method) {
      const found = heard.filter((message) => message.method === method)
      heard = heard.filter((message) => message.method !== method)
      return found.map(({ params }) => params)
    },
    /** Calls `tell` with the parameters of the next notification of a method. */
    once: (method, tell) => void waiting.set(method, tell),
  }
}
