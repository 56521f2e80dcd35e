import {
  type MessageClassification,
  PerRequestHTTPServerTransport,
  type Server,
  type Transport,
} from "@modelcontextprotocol/server"
import { MODERN } from "./era.js"

/** Where the messages of a modern server go. */
export interface ModernTarget {
  /** Takes a message. */
  send: Transport["send"]
  /** Runs when the server closes the connection. */
  close(): void
}

/**
 * A transport that makes the SDK's server speak the modern revision: it asks for its own class by `instanceof`, and takes the
 * revision from there. Nothing else of that class is used; all it does is done here.
 */
export async function connectModern(server: Server, { send, close }: ModernTarget): Promise<Transport> {
  const transport = new PerRequestHTTPServerTransport({ classification: { era: "modern", revision: MODERN } })
  let open = true
  transport.send = send
  transport.close = async () => {
    if (!open) return
    open = false
    close()
    transport.onclose?.()
  }
  await server.connect(transport)
  return transport
}

/** What a message of the modern era is handed to the SDK's server with. */
export const CLASSIFIED: { readonly classification: MessageClassification } = {
  classification: { era: "modern", revision: MODERN },
}
