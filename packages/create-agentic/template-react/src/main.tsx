import { connectPage } from "@x/page-bridge"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { App } from "./app.js"
import { notes } from "./notes.js"

const page = connectPage(notes)
page.status.subscribe(({ state }) => {
  document.documentElement.dataset["connection"] = state
})

const main = document.querySelector("main")
if (main !== null)
  createRoot(main).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
