import type { Exporter } from "../../../src/board/create-exporter.js"
import { useObservable } from "../use-observable.js"

/** Shows how far a model's export of the board is, and lets the person cancel it. */
export function ExportStatus({ exporter }: { readonly exporter: Exporter }) {
  const percent = useObservable(exporter.percent$, undefined)
  if (percent === undefined) return null
  return (
    <section className="export" aria-label="Export">
      <p role="status">A model exports the board</p>
      <progress aria-label="Export" max={100} value={percent} />
      <button type="button" onClick={exporter.cancel}>
        Cancel
      </button>
    </section>
  )
}
