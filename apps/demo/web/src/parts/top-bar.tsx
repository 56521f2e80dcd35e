import type { PageStatus } from "@x/page-bridge"
import type { Observable } from "rxjs"
import type { Activity } from "../../../src/board/activity.js"
import { DONE } from "../../../src/board/board.js"
import type { BoardStore } from "../../../src/board/board-store.js"
import { leaveOnEscape } from "../leave-on-escape.js"
import type { Theme } from "../theme.js"
import { useObservable } from "../use-observable.js"
import { redo, undo } from "../use-shortcuts.js"
import { ConnectButton } from "./connect-button.js"
import { Icon } from "./icon.js"

interface TopBarProps {
  readonly store: BoardStore
  readonly search: string
  readonly setSearch: (text: string) => void
  readonly theme: Theme
  readonly live: boolean
  readonly toggleLive: () => void
  readonly showHelp: () => void
  readonly status$: Observable<PageStatus>
  readonly activity: Activity
  readonly say: (text: string) => void
}

/** Renders the bar above the board. */
export function TopBar(props: TopBarProps) {
  const { store, search, setSearch, theme, live, toggleLive, showHelp, status$, activity, say } = props
  const canUndo = useObservable(store.canUndo$, false)
  const canRedo = useObservable(store.canRedo$, false)
  const board = useObservable(store.board$, store.board())
  const done = board.cards.filter(({ column }) => column === DONE).length
  const archive = async (): Promise<void> => say(`${await store.archive()} completed cards archived`)
  return (
    <header className="top">
      <h1>
        <img src="/icon.svg" alt="" width="26" height="26" />
        <span className="label">Board</span>
      </h1>
      <search className="search">
        <Icon of="search" />
        <input
          type="search"
          placeholder="Search cards"
          aria-label="Search cards"
          aria-keyshortcuts="/"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          onKeyDown={(event) => leaveOnEscape(event, () => setSearch(""))}
        />
        <kbd>/</kbd>
      </search>
      <div className="tools">
        <button
          type="button"
          title="Undo (Ctrl+Z)"
          aria-label="Undo"
          disabled={!canUndo}
          onClick={() => void undo({ store, say })}
        >
          <Icon of="undo" />
        </button>
        <button
          type="button"
          title="Redo (Ctrl+Shift+Z)"
          aria-label="Redo"
          disabled={!canRedo}
          onClick={() => void redo({ store, say })}
        >
          <Icon of="redo" />
        </button>
        <button type="button" title="Archive completed cards" disabled={done === 0} onClick={() => void archive()}>
          <Icon of="archive" />
          <span className="wide">Archive{done > 0 ? ` ${done}` : ""}</span>
          <span className="narrow unseen">Archive completed cards</span>
        </button>
      </div>
      <div className="tools end">
        <ConnectButton status$={status$} clients={activity.clients} />
        <button type="button" aria-pressed={live} onClick={toggleLive} title="What models see of this board (L)">
          <Icon of="eye" />
          <span className="label">Live view</span>
        </button>
        <button
          type="button"
          onClick={theme.next}
          title={`Theme: ${theme.scheme}`}
          aria-label={`Theme: ${theme.scheme}`}
        >
          <Icon of={theme.scheme} />
        </button>
        <button
          type="button"
          className="for-keys"
          onClick={showHelp}
          title="Keyboard shortcuts (?)"
          aria-label="Keyboard shortcuts"
        >
          <Icon of="help" />
        </button>
      </div>
    </header>
  )
}
