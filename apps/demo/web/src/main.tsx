import { connectPage } from "@x/page-bridge"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { createAuthors } from "../../src/board/authors.js"
import { createExporter } from "../../src/board/create-exporter.js"
import { createBoardService } from "../../src/services/create-board-service.js"
import { App } from "./app.js"
import { createDesk } from "./ask-person.js"
import { followActivity } from "./follow-activity.js"
import { openBoardDatabase } from "./store/board-database.js"
import { createDatabaseStore } from "./store/create-database-store.js"
import { createOpenCard } from "./store/open-card.js"
import "./base.css"
import "./top.css"
import "./board.css"
import "./dialogs.css"
import "./sizes.css"

const store = await createDatabaseStore(openBoardDatabase(), createOpenCard())
const { activity$, callers } = followActivity()
const authors = createAuthors(store, callers)
const desk = createDesk()
const seconds = Number(new URLSearchParams(location.search).get("export"))
const exporter = seconds > 0 ? createExporter(store, seconds * 1_000) : undefined
const page = connectPage(createBoardService(authors.store, exporter), { ask: desk.ask })
const root = document.getElementById("root")
if (root)
  createRoot(root).render(
    <StrictMode>
      <App {...{ store, exporter, desk, activity$ }} status$={page.status} deeds$={authors.deeds$} />
    </StrictMode>,
  )
