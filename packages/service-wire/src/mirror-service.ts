import type { AgenticService } from "@x/agentic-service"
import type { Observable } from "rxjs"
import type { Channel } from "./channel.js"
import type { MirrorStatus } from "./mirror/line.js"
import { createMirrorSwitch, type MirrorOptions, type MirrorSource } from "./mirror-switch.js"

/** A service that lives on the other side of a channel. */
export interface MirroredService extends AgenticService {
  /** How it is doing, now and whenever that changes. Never errors; completes with {@link MirroredService.close}. */
  readonly status: Observable<MirrorStatus>
  /**
   * Goes on over another channel, which begins with a snapshot: what says the same as before stays as it is. One that is
   * still open is closed.
   */
  resume(channel: Channel): void
  /** Says goodbye, and completes everything; idempotent. */
  close(): void
}

/**
 * Mirrors the service that is offered on the other side of a channel: a service like any other, to be served, linked or used by
 * hand. It is whole once its `status` is `live`; while there is no channel it has no states and actions, and says why.
 *
 * @param channel - Leave it out where the first one comes later, by {@link MirroredService.resume}.
 * @example
 * ```ts
 * import { createMcpAdapter } from "@x/mcp-adapter"
 * import { mirrorService } from "@x/service-wire"
 * import { fromMessagePort } from "@x/service-wire/message-port"
 *
 * const { port1 } = new MessageChannel()
 * const board = mirrorService(fromMessagePort(port1))
 * const adapter = createMcpAdapter(board)
 * adapter.close()
 * board.close()
 * ```
 */
export function mirrorService(channel?: Channel, options: MirrorOptions = {}): MirroredService {
  let source: MirrorSource | undefined
  const mirror = createMirrorSwitch(options, () => {
    if (source?.isWhole() === true) source.select()
  })
  const resume = (next: Channel): void => {
    const before = source
    source = mirror.attach(next, {
      changed() {
        if (!mirror.isWaiting() || source?.covers() === true) source?.select()
      },
    })
    before?.close("the mirror goes on over another channel")
  }
  if (channel === undefined) mirror.absent("it is not connected yet")
  else resume(channel)
  return Object.assign(mirror.service, { status: mirror.status, resume, close: mirror.close })
}
