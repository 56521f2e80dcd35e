/**
 * Hears everything that comes to a client, and in its order: the SDK's client gives up a call's progress where it comes in one
 * chunk with the answer, which on a pipe is a matter of luck, so what is compared is taken from the wire.
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
    /** What has come since it was taken last, of a method. */
    take(method) {
      const found = heard.filter((message) => message.method === method)
      heard = heard.filter((message) => message.method !== method)
      return found.map(({ params }) => params)
    },
    /** Tells of the next. */
    once: (method, tell) => void waiting.set(method, tell),
  }
}
