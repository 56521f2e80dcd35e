import type { Transport } from "@modelcontextprotocol/client"

/**
 * Lets a client of the SDK hear what comes in the order in which it came. The client hands a notification on in a microtask, but
 * an answer at once, and knows nobody any more then who wants its progress: whatever comes in the task of a notification, such
 * as the answer in the same chunk, would pass it. So it waits here until the notification has been heard; the end of the
 * connection too.
 */
export function keepOrder(transport: Transport): void {
  const { onmessage, onclose } = transport
  const waiting: (() => void)[] = []
  let hearing = false
  const heard = (): void => {
    hearing = false
    let passed = 0
    while (!hearing && passed < waiting.length) {
      waiting[passed]?.()
      passed += 1
    }
    waiting.splice(0, passed)
  }
  const inTurn = (pass: () => void): void => {
    if (hearing) waiting.push(pass)
    else pass()
  }
  transport.onmessage = (message, extra) =>
    inTurn(() => {
      onmessage?.(message, extra)
      if (!isNotification(message)) return
      hearing = true
      queueMicrotask(heard)
    })
  transport.onclose = () => inTurn(() => onclose?.())
}

/** A foreign server may write anything. */
function isNotification(message: unknown): boolean {
  return typeof message === "object" && message !== null && "method" in message && !("id" in message)
}
