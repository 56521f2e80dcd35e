import type { PageStatus } from "@x/page-bridge"
import { useId } from "react"
import type { Observable } from "rxjs"
import { useObservable } from "../use-observable.js"
import { CopyText } from "./copy-text.js"

const WORDS: Readonly<Record<PageStatus["state"], string>> = {
  connected: "No model connected",
  connecting: "Connecting",
  waiting: "Server unavailable",
  refused: "Connection refused",
  blocked: "Blocked by browser",
  asking: "Permission needed",
  left: "Not connected",
}

const CONNECTING: PageStatus = { state: "connecting" }

interface ConnectButtonProps {
  readonly status$: Observable<PageStatus>
  /** The names of the connected models. */
  readonly clients: readonly string[]
}

/** Shows the connected models, and how to connect another one. */
export function ConnectButton({ status$, clients }: ConnectButtonProps) {
  const status = useObservable(status$, CONNECTING)
  const id = useId()
  const url = `${location.origin}/mcp`
  const isHeard = status.state === "connected" && clients.length > 0
  const words = isHeard
    ? `${clients.length} ${clients.length === 1 ? "model" : "models"} connected`
    : WORDS[status.state]
  return (
    <>
      <button
        type="button"
        className="status"
        data-status={status.state}
        data-heard={isHeard}
        popoverTarget={id}
        title={isHeard ? clients.join(", ") : "Connect a model"}
        aria-label={words}
      >
        <span className="dot" />
        <span className="label">{words}</span>
        {isHeard && <span className="narrow">{clients.length}</span>}
      </button>
      <div id={id} popover="auto" className="sheet">
        <h2>{isHeard ? "Connected models" : "Connect a model to this board"}</h2>
        {"reason" in status && <p className="fault">Not connected: {status.reason}.</p>}
        {isHeard && <p className="clients">{clients.join(", ")}</p>}
        <p>While this page is open, any MCP client can use this URL:</p>
        <CopyText text={url} what="the URL" />
        <h3>Claude Code, in a terminal</h3>
        <CopyText text={`claude mcp add --transport http board ${url}`} what="the command for Claude Code" />
        <h3>Cursor, in .cursor/mcp.json</h3>
        <CopyText text={JSON.stringify({ mcpServers: { board: { url } } })} what="the entry for Cursor" />
        <h3>VS Code, in .vscode/mcp.json</h3>
        <CopyText text={JSON.stringify({ servers: { board: { type: "http", url } } })} what="the entry for VS Code" />
        <h3>Claude (web) and ChatGPT</h3>
        <p>They connect from the cloud and need a public https address, such as a tunnel to this URL.</p>
      </div>
    </>
  )
}
