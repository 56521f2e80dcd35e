/** Leaves a field on Escape, for the place around it: a further Escape then belongs to that place. */
export function leaveOnEscape(event: React.KeyboardEvent<HTMLElement>, forget?: () => void): void {
  if (event.key !== "Escape") return
  event.preventDefault()
  event.stopPropagation()
  forget?.()
  const field = event.currentTarget
  field.blur()
  field.closest<HTMLElement>(".open-card")?.focus()
}
