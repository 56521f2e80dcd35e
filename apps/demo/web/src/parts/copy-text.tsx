import { useState } from "react"
import { Icon } from "./icon.js"

/** Shows a text to paste elsewhere, with a button that copies it. */
export function CopyText({ text, what }: { readonly text: string; readonly what: string }) {
  const [done, setDone] = useState<"copied" | "failed">()
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => setDone("copied"),
      () => setDone("failed"),
    )
  return (
    <div className="copy">
      <pre>{text}</pre>
      <button type="button" onClick={copy} aria-label={`Copy ${what}`}>
        <Icon of={done === "copied" ? "check" : "copy"} />
        <span role="status">{done === "copied" ? "Copied" : done === "failed" ? "Select and copy" : "Copy"}</span>
      </button>
    </div>
  )
}
