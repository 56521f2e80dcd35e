import { type ReactNode, useEffect, useRef } from "react"

interface DialogProps {
  readonly label: string
  readonly className?: string
  readonly close: () => void
  readonly children: ReactNode
  /** Whether the person must answer: a click outside does not close the dialog. */
  readonly strict?: boolean
}

/** Renders the browser's own dialog, which manages the focus and closes on Escape. */
export function Dialog({ label, className, close, children, strict }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    if (dialog && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same, and the browser reports it with onCancel
    <dialog
      ref={ref}
      className={className}
      aria-label={label}
      role={strict ? "alertdialog" : undefined}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onClick={(event) => !strict && event.target === ref.current && close()}
    >
      <div className="inside">{children}</div>
    </dialog>
  )
}
