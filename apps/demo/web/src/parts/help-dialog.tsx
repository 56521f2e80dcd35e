import { Dialog } from "./dialog.js"
import { Icon } from "./icon.js"

const KEYS: readonly (readonly [string, readonly string[]])[] = [
  ["Move between cards", ["←", "↑", "↓", "→"]],
  ["Move a card", ["Alt", "← ↑ ↓ →"]],
  ["Open a card", ["Enter"]],
  ["Add a card", ["N"]],
  ["Search", ["/"]],
  ["Undo", ["Ctrl", "Z"]],
  ["Redo", ["Ctrl", "Shift", "Z"]],
  ["Live view", ["L"]],
  ["Close card or dialog", ["Esc"]],
]

/** Lists the keyboard shortcuts. */
export function HelpDialog({ close }: { readonly close: () => void }) {
  return (
    <Dialog label="Keyboard shortcuts" className="help" close={close}>
      <header>
        <h2>Keyboard shortcuts</h2>
        <button type="button" className="quiet" aria-label="Close" onClick={close}>
          <Icon of="close" />
        </button>
      </header>
      <dl>
        {KEYS.map(([what, keys]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
