/** Describes a duration as a person says it: `<1 ms`, `12 ms`, `1.2 s`, `42 s`, `2 min 5 s`, `1 h 3 min`. */
export function toDuration(ms: number): string {
  if (ms < 1) return "<1 ms"
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 100) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 100) return withRest(`${minutes} min`, seconds % 60, "s")
  return withRest(`${Math.floor(minutes / 60)} h`, minutes % 60, "min")
}

function withRest(whole: string, rest: number, unit: string): string {
  return rest === 0 ? whole : `${whole} ${rest} ${unit}`
}

/**
 * Returns the clock time of an event in the viewer's time zone, such as `14:03:27`.
 *
 * @param start - The frame before it, whose time of day is known.
 * @param at - The time of the event; see `Stamped.at`.
 */
export function toClock(start: { readonly time: string; readonly at: number }, at: number): string {
  const time = new Date(Date.parse(start.time) + at - start.at)
  // A recording may contain any text as its time.
  return Number.isNaN(time.valueOf()) ? "" : time.toTimeString().slice(0, 8)
}
