import type { Client } from "@modelcontextprotocol/client"

/**
 * Cancels a call. Resolves once the server knows, and the client has everything that the server sent before: over HTTP, messages
 * take several connections, and only answers tell how far they are.
 */
export async function withdraw(client: Client, cancel: () => void): Promise<void> {
  await Promise.all(recordSends(client, cancel))
  // The server answers the first one after it heard of the cancellation. The second one follows all that was on its way by then.
  for (let round = 0; round < 2; round += 1) await client.listTools().catch(() => undefined)
}

/** Returns the messages that a client sends meanwhile, each as the promise of its delivery. */
function recordSends({ transport }: Client, meanwhile: () => void): readonly Promise<void>[] {
  if (transport === undefined) return []
  const sends: Promise<void>[] = []
  const { send } = transport
  transport.send = (...message) => {
    const sent = send.apply(transport, message)
    sends.push(sent.catch(() => undefined))
    return sent
  }
  meanwhile()
  transport.send = send
  return sends
}
