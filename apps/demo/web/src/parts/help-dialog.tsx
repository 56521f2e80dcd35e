import { Dialog } from "./dialog.js"
import { Icon } from "./icon.js"

const KEYS: readonly (readonly [string, readonly string[]])[] = [
  ["Walk between cards", ["←", "↑", "↓", "→"]],
  ["Move a card", ["Alt", "← ↑ ↓ →"]],
  ["Open a card", ["Enter"]],
  ["Add a card", ["N"]],
  ["Search", ["/"]],
  ["Take back", ["Ctrl", "Z"]],
  ["Do again", ["Ctrl", "Shift", "Z"]],
  ["Live view", ["L"]],
  ["Close what is open", ["Esc"]],
]

/** The keys there are. */
export function HelpDialog({ close }: { readonly close: () => void }) {
  return (
    <Dialog label="Keys" className="help" close={close}>
      <header>
        <h2>Keys</h2>
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
