import { useEffect, useState } from "react"

/** Light, dark, or the system's scheme. */
export type Scheme = "light" | "dark" | "system"

/** The page's colour scheme. */
export interface Theme {
  readonly scheme: Scheme
  /** Switches to the next scheme. */
  next(): void
}

const schemes: readonly Scheme[] = ["system", "light", "dark"]

/** Returns the scheme last used in this browser. */
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
