import { useId } from "react"
import type { Observable } from "rxjs"
import type { BoardStatus } from "../connect-board.js"
import { useObservable } from "../use-observable.js"

const WORDS: Readonly<Record<BoardStatus, string>> = {
  connected: "Connected",
  connecting: "Connecting",
  elsewhere: "Another tab answers",
  away: "Host is away",
}

/** Whether models can reach this board, and how to connect one. */
export function ConnectButton({ status$ }: { readonly status$: Observable<BoardStatus> }) {
  const status = useObservable(status$, "connecting")
  const id = useId()
  const url = `${location.origin}/mcp`
  return (
    <>
      <button type="button" className="status" data-status={status} popoverTarget={id}>
        <span className="dot" />
        {WORDS[status]}
      </button>
      <div id={id} popover="auto" className="sheet">
        <h2>Let a model work on this board</h2>
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
