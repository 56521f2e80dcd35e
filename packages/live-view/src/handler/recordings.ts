import type { McpAdapter } from "@x/mcp-adapter"
import type { WatchOptions } from "../live-view-options.js"
import { type Recorder, record } from "../recording/record.js"
import type { Post } from "./lookups.js"

/** Controls the page's single recording. */
export interface Recordings {
  /** The handlers that start and stop a recording. */
  readonly posts: Readonly<Record<"record" | "recorded", Post>>
  /** Stops the recording. */
  close(): void
}

/** Creates the handlers without a recording. */
export function createRecordings(adapter: McpAdapter, { show, principal }: WatchOptions): Recordings {
  let recorder: Recorder | undefined
  return {
    posts: {
      async record() {
        recorder?.close()
        recorder = record(adapter, { ...(show !== undefined && { show }), ...(principal && { principal }) })
        await recorder.ready
        return { recording: true }
      },
      async recorded() {
        if (recorder === undefined) return undefined
        const { full, toText } = recorder
        recorder.close()
        recorder = undefined
        return { text: toText(), full: full() }
      },
    },
    close: () => recorder?.close(),
  }
}
