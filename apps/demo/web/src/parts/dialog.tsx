import { type ReactNode, useEffect, useRef } from "react"

interface DialogProps {
  readonly label: string
  readonly className?: string
  readonly close: () => void
  readonly children: ReactNode
  /** A dialog that asks something: nothing else can be done, and a click beside it is no answer. */
  readonly strict?: boolean
}

/** The browser's own dialog: it keeps the focus, gives it back, and ends with Escape. */
export function Dialog({ label, className, close, children, strict }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = ref.current
    if (dialog && !dialog.open) dialog.showModal()
    return () => dialog?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same, and the browser tells of it by onCancel
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
