// The app of the tests: React in StrictMode, a service at module level, and one connected in an effect.
import { connectPage } from "@x/page-bridge"
import { createElement, StrictMode, useEffect } from "react"
import { createRoot } from "react-dom/client"
import { label } from "./label.js"
import { board, count$ } from "./service.js"

globalThis.label = label
import.meta.hot?.accept("./label.js", (next) => {
  globalThis.label = next.label
})

function App() {
  useEffect(() => {
    const page = connectPage(board)
    page.status.subscribe(({ state }) => {
      globalThis.state = state
    })
    return () => page.close()
  }, [])
  return createElement("button", { type: "button", onClick: () => count$.next(count$.value + 1) }, "more")
}

createRoot(document.querySelector("main")).render(createElement(StrictMode, null, createElement(App)))
