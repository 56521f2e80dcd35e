import {
  type MessageClassification,
  PerRequestHTTPServerTransport,
  type Server,
  type Transport,
} from "@modelcontextprotocol/server"
import { MODERN } from "./era.js"

/** The receiver of a legacy server's messages. */
interface LegacyTarget {
  /** Takes a message; an error is the server's. */
  send(...message: Parameters<Transport["send"]>): void
  /** Takes the negotiated revision. */
  agreed?(version: string): void
}

/** Creates a transport that hands an SDK server's messages to a function. Messages for the server go to its `onmessage`. */
export function createSdkTransport({ send, agreed }: LegacyTarget): Transport {
  const transport: Transport = {
    start: async () => {},
    send: async (message, options) => send(message, options),
    close: async () => transport.onclose?.(),
    ...(agreed && { setProtocolVersion: agreed }),
  }
  return transport
}

/** The receiver of a modern server's messages. */
export interface ModernTarget {
  /** Takes a message. */
  send: Transport["send"]
  /** Runs when the server closes the connection. */
  close(): void
}

/**
 * Connects an SDK server with a transport that makes it use the modern revision. The SDK reads the revision only from instances
 * of its own transport class (`instanceof`); nothing else of that class is used.
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

/** The SDK's extra argument for modern messages. */
export const CLASSIFIED: { readonly classification: MessageClassification } = {
  classification: { era: "modern", revision: MODERN },
}
