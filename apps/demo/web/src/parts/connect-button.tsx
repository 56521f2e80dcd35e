import type { PageStatus } from "@x/page-bridge"
import { useId } from "react"
import type { Observable } from "rxjs"
import { useObservable } from "../use-observable.js"

const WORDS: Readonly<Record<PageStatus["state"], string>> = {
  connected: "Connected",
  connecting: "Connecting",
  waiting: "Host is away",
  refused: "Host refuses",
  blocked: "Browser forbids it",
  asking: "Browser asks",
  left: "Not connected",
}

const CONNECTING: PageStatus = { state: "connecting" }

/** Whether models can reach this board, and how to connect one. */
export function ConnectButton({ status$ }: { readonly status$: Observable<PageStatus> }) {
  const status = useObservable(status$, CONNECTING)
  const id = useId()
  const url = `${location.origin}/mcp`
  return (
    <>
      <button type="button" className="status" data-status={status.state} popoverTarget={id}>
        <span className="dot" />
        {WORDS[status.state]}
      </button>
      <div id={id} popover="auto" className="sheet">
        <h2>Let a model work on this board</h2>
        {"reason" in status && <p className="fault">It cannot at the moment: {status.reason}.</p>}
        <p>While this page is open, any MCP client can use it at</p>
        <pre>{url}</pre>
        <h3>Claude Code</h3>
        <pre>claude mcp add --transport http board {url}</pre>
        <h3>Cursor, in .cursor/mcp.json</h3>
        <pre>{JSON.stringify({ mcpServers: { board: { url } } })}</pre>
        <h3>VS Code, in .vscode/mcp.json</h3>
        <pre>{JSON.stringify({ servers: { board: { type: "http", url } } })}</pre>
      </div>
    </>
  )
}
