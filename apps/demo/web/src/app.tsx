import type { PageStatus } from "@x/page-bridge"
import { useEffect, useState } from "react"
import type { Observable } from "rxjs"
import type { BoardStore } from "../../src/board/board-store.js"
import type { Desk } from "./ask-person.js"
import { BoardView } from "./parts/board-view.js"
import { CardPanel } from "./parts/card-panel.js"
import { HelpDialog } from "./parts/help-dialog.js"
import { LivePanel } from "./parts/live-panel.js"
import { QuestionDialog } from "./parts/question-dialog.js"
import { TopBar } from "./parts/top-bar.js"
import { useTheme } from "./theme.js"
import { useObservable } from "./use-observable.js"
import { useShortcuts } from "./use-shortcuts.js"

/** What the page is made from. */
export interface AppProps {
  readonly store: BoardStore
  readonly desk: Desk
  readonly status$: Observable<PageStatus>
}

/** The whole page. */
export function App({ store, desk, status$ }: AppProps) {
  const board = useObservable(store.board$, store.board())
  const openCard = useObservable(store.openCard$, undefined)
  const question = useObservable(desk.question$, undefined)
  const [search, setSearch] = useState("")
  const [help, setHelp] = useState(false)
  const [live, setLive] = useState(() => new URLSearchParams(location.search).has("live"))
  const [said, say] = useState("")
  const theme = useTheme()
  useShortcuts({ store, say, showHelp: () => setHelp(true), toggleLive: () => setLive((shown) => !shown) })
  useEffect(() => {
    document.title = openCard ? `${openCard.title} – Board` : "Board"
  }, [openCard])

  return (
    <div className="app" data-live={live}>
      <button type="button" className="skip" onClick={() => document.getElementById("board")?.focus()}>
        Skip to the board
      </button>
      <TopBar
        {...{ store, search, setSearch, theme, live, status$, say }}
        toggleLive={() => setLive(!live)}
        showHelp={() => setHelp(true)}
      />
      <div className="stage">
        <div className="place">
          <BoardView {...{ store, board, search, say }} />
          {openCard && <CardPanel key={openCard.id} {...{ store, board, card: openCard, say }} />}
        </div>
        {live && <LivePanel scheme={theme.scheme} close={() => setLive(false)} />}
      </div>
      {question && <QuestionDialog key={question.id} question={question} />}
      {help && <HelpDialog close={() => setHelp(false)} />}
      <p className="unseen" role="status" aria-live="polite">
        {said}
      </p>
    </div>
  )
}
