import type { PageStatus } from "@x/page-bridge"
import { useEffect, useState } from "react"
import type { Observable } from "rxjs"
import type { Activity } from "../../src/board/activity.js"
import { type Deed, theOne } from "../../src/board/authors.js"
import type { BoardStore } from "../../src/board/board-store.js"
import type { Exporter } from "../../src/board/create-exporter.js"
import type { Desk } from "./ask-person.js"
import { callersOf } from "./follow-activity.js"
import { BoardView } from "./parts/board-view.js"
import { CardPanel } from "./parts/card-panel.js"
import { ExportStatus } from "./parts/export-status.js"
import { HelpDialog } from "./parts/help-dialog.js"
import { LivePanel } from "./parts/live-panel.js"
import { QuestionDialog } from "./parts/question-dialog.js"
import { Toast } from "./parts/toast.js"
import { TopBar } from "./parts/top-bar.js"
import { useTheme } from "./theme.js"
import { useObservable } from "./use-observable.js"
import { undo, useShortcuts } from "./use-shortcuts.js"

/** The page's dependencies. */
export interface AppProps {
  readonly store: BoardStore
  readonly exporter: Exporter | undefined
  readonly desk: Desk
  readonly status$: Observable<PageStatus>
  readonly activity$: Observable<Activity>
  readonly deeds$: Observable<readonly Deed[]>
}

const IDLE: Activity = { clients: [], calls: [] }

const NO_DEEDS: readonly Deed[] = []

/** Renders the whole page. */
export function App({ store, exporter, desk, status$, activity$, deeds$ }: AppProps) {
  const board = useObservable(store.board$, store.board())
  const openCard = useObservable(store.openCard$, undefined)
  const question = useObservable(desk.question$, undefined)
  const activity = useObservable(activity$, IDLE)
  const deeds = useObservable(deeds$, NO_DEEDS)
  const deed = deeds.at(-1)
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
        {...{ store, search, setSearch, theme, live, status$, activity, say }}
        toggleLive={() => setLive(!live)}
        showHelp={() => setHelp(true)}
      />
      {exporter && <ExportStatus exporter={exporter} />}
      <div className="stage">
        <div className="place">
          <BoardView {...{ store, board, search, deeds, say }} />
          {openCard && <CardPanel key={openCard.id} {...{ store, board, card: openCard, say }} />}
        </div>
        {live && <LivePanel scheme={theme.scheme} close={() => setLive(false)} />}
      </div>
      {deed && <Toast key={deed.id} {...{ deed, board }} undo={() => void undo({ store, say })} />}
      {question && (
        <QuestionDialog key={question.id} {...{ question, board }} by={theOne(callersOf(activity, question.action))} />
      )}
      {help && <HelpDialog close={() => setHelp(false)} />}
      <p className="unseen" role="status" aria-live="polite">
        {said}
      </p>
    </div>
  )
}
