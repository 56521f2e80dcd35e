import { type Path, parsePath } from "../../names/path.js"

/**
 * Which service a URL path asks for, where each has an endpoint of its own; `undefined` where none is. `base` is the path of
 * the root's endpoint; routers that strip the prefix a handler is mounted at leave only what follows it.
 */
export function toLinkPath(pathname: string, base: string): Path | undefined {
  const below = pathname === base || pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname
  return parseBelow(below) ?? parseBelow(pathname)
}

/** A path without the slashes at its end. */
export function toBase(path: string): string {
  return path.replace(/\/+$/, "")
}

function parseBelow(below: string): Path | undefined {
  if (below === "" || below === "/") return []
  const path = below.startsWith(LINKS) ? parsePath(below.slice(LINKS.length)) : undefined
  return path?.length === 0 ? undefined : path
}

const LINKS = "/links/"
