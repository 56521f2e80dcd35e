import { useEffect, useRef, useState } from "react"
import type { Scheme } from "../theme.js"
import { Icon } from "./icon.js"

interface LivePanelProps {
  readonly scheme: Scheme
  readonly close: () => void
}

/** Shows the host's live view beside the board. */
export function LivePanel({ scheme, close }: LivePanelProps) {
  const place = useRef<HTMLDivElement>(null)
  const [fault, setFault] = useState(false)
  useEffect(() => {
    // Loaded from the host on demand, to keep the page small.
    const module = "/live/live-view.js"
    import(/* @vite-ignore */ module).catch(() => setFault(true))
    const element = document.createElement("agentic-live-view")
    element.setAttribute("src", "/live/")
    place.current?.append(element)
    return () => element.remove()
  }, [])
  useEffect(() => {
    const element = place.current?.firstElementChild
    if (scheme === "system") element?.removeAttribute("theme")
    else element?.setAttribute("theme", scheme)
  }, [scheme])
  return (
    <aside className="live" aria-label="Live view: what models see of this board">
      <button type="button" className="quiet live-close" aria-label="Close the live view" onClick={close}>
        <Icon of="close" />
      </button>
      {fault && <p className="nothing">The live view is unavailable because the server cannot be reached.</p>}
      <div className="live-place" ref={place} />
    </aside>
  )
}
