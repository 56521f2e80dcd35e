import { useEffect, useState } from "react"

/** Light, dark, or what the system has. */
export type Scheme = "light" | "dark" | "system"

/** The colour scheme of the page, and a way to change it. */
export interface Theme {
  readonly scheme: Scheme
  /** Goes on to the next one. */
  next(): void
}

const schemes: readonly Scheme[] = ["system", "light", "dark"]

/** The scheme that this browser was left with. */
export function useTheme(): Theme {
  const [scheme, setScheme] = useState<Scheme>(
    () => schemes.find((known) => known === localStorage.getItem("scheme")) ?? "system",
  )
  useEffect(() => {
    localStorage.setItem("scheme", scheme)
    document.documentElement.style.colorScheme = scheme === "system" ? "light dark" : scheme
  }, [scheme])
  return { scheme, next: () => setScheme(schemes[(schemes.indexOf(scheme) + 1) % schemes.length] ?? "system") }
}
