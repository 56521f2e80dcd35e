import { type RefObject, useEffect, useState } from "react"

/** Returns the sides on which a place can be scrolled, such as `left right`, for a cue where something is cut off. */
export function useOverflow(ref: RefObject<HTMLElement | null>): string {
  const [sides, setSides] = useState("")
  useEffect(() => {
    const place = ref.current
    if (place === null) return
    const measure = (): void => {
      const { scrollLeft, scrollWidth, clientWidth } = place
      const left = scrollLeft > 1 ? "left" : ""
      const right = scrollLeft + clientWidth < scrollWidth - 1 ? "right" : ""
      setSides(`${left} ${right}`.trim())
    }
    const resized = new ResizeObserver(measure)
    resized.observe(place)
    for (const child of place.children) resized.observe(child)
    place.addEventListener("scroll", measure, { passive: true })
    return () => {
      resized.disconnect()
      place.removeEventListener("scroll", measure)
    }
  })
  return sides
}
