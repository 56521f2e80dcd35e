/** The middleware that an application may have before and after its routes. */
export const LAYERS = [
  ...["nothing", "json", "text", "raw", "urlencoded", "own", "compression"],
  ...["CORS", "CORS, named", "catch-all", "all"],
]

/** Returns whether a layer includes one by that name. "all" includes the layers that one application may combine. */
export function has(layer, name) {
  if (layer === name) return true
  return layer === "all" && ["json", "urlencoded", "compression", "CORS", "catch-all"].includes(name)
}

/** The page's origin, which the application's CORS layers allow. */
export const ORIGIN = "https://app.example"

/** A header of the application's own, which pages may read. */
const OWN_HEADER = "X-Total"

/** The page for paths without a route. */
export const PAGE = "<!doctype html><title>app</title>"

/**
 * Returns the settings for a CORS layer: its defaults, or one named origin with credentials.
 *
 * @param names - The layer's names of the settings for exposed headers and methods, and the changes made to its setup.
 */
export function corsSettings(layer, { exposed, methods, way }) {
  const more = way.methods ? { [methods]: ["GET", "POST", "DELETE"] } : {}
  if (layer !== "CORS, named") return more
  return {
    ...more,
    origin: ORIGIN,
    credentials: true,
    [exposed]: way.expose ? [OWN_HEADER, "Mcp-Session-Id"] : [OWN_HEADER],
  }
}

/** Returns whether a layer includes CORS. */
export function hasCors(layer) {
  return has(layer, "CORS") || layer === "CORS, named"
}
