import type { JSONRPCMessage, JSONRPCRequest, Notification, Result } from "@modelcontextprotocol/server"
import { ProtocolError } from "@x/mcp-adapter"
import { openPipe } from "./pipe.js"

/** Forwards a notification to the caller. */
export type Notify = (notification: Notification) => Promise<void>

/** The fixture process behind a call interface. */
export interface Calls {
  /** Sends a request with a new id, and forwards notifications that precede the answer. */
  call(request: JSONRPCRequest, notify: Notify): Promise<Result>
  /** Ends the process and all its calls. */
  close(): Promise<void>
}

interface Pending {
  readonly notify: Notify
  settle(message: JSONRPCMessage): void
}

/** Starts the process. Notifications go to the newest call, or to `other` if none is open or a listener expects them. */
export async function openCalls(other: Notify): Promise<Calls> {
  const pending = new Map<unknown, Pending>()
  const pipe = await openPipe((message) => {
    if (!("method" in message)) return pending.get(message.id)?.settle(message)
    const { method, params } = message
    const listened = params?._meta !== undefined && LISTEN in params._meta
    const notify = listened ? other : ([...pending.values()].at(-1)?.notify ?? other)
    notify({ method, ...(params && { params }) }).catch(console.error)
  })
  let ids = 0
  return {
    call(request, notify) {
      const id = ++ids
      return new Promise((resolve, reject) => {
        const settle = (message: JSONRPCMessage): void => {
          pending.delete(id)
          if ("result" in message) resolve(message.result)
          else if ("error" in message) reject(toError(message.error))
        }
        pending.set(id, { notify, settle })
        pipe.send({ ...request, id })
      })
    },
    close: () => pipe.close(),
  }
}

const LISTEN = "io.modelcontextprotocol/subscriptionId"

function toError({
  code,
  message,
  data,
}: {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}) {
  return new ProtocolError(code, message, { data })
}
