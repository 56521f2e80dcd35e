import type { Failure } from "@x/agentic-service"
import { invalidInput } from "@x/agentic-service/adapter"
import type { Arguments } from "../calls/call-context.js"
import type { ToolEntry } from "../catalogue/entry.js"
import { comparePaths, formatPath, type Path, parsePath } from "../names/path.js"
import type { View } from "../views/view.js"
import type { ItemTool } from "./item-lists.js"

/** A call of a tool of items, as the call of the item's own action. */
export type ItemCall =
  | {
      /** The action's own name. */
      readonly name: string
      /** The arguments without the item. */
      readonly args: Arguments
      /** The name of the item's parameter. */
      readonly item: string
    }
  | { readonly failure: Failure }

/** Finds the action that a call of a tool of items runs. */
export function toItemCall(view: View, tool: ItemTool, given: Arguments): ItemCall {
  const { [tool.parameter]: item, ...args } = given
  const path = toPath(tool, item)
  const name = path && findName(view, path, tool.key)
  return name === undefined ? { failure: noItem(tool, item) } : { name, args, item: tool.parameter }
}

/** Returns the path of an item's service. Callers give the item's key, or its path from `list_links`. */
function toPath({ pattern }: ItemTool, item: unknown): Path | undefined {
  if (typeof item !== "string" && typeof item !== "number") return undefined
  const text = String(item)
  const keys = parsePath(text) ?? [text]
  const holes = pattern.filter((segment) => segment === undefined).length
  if (keys.length === holes) return fill(pattern, keys)
  const last = pattern.lastIndexOf(undefined)
  const isWhole = keys.length > last && keys.every((key, index) => (pattern[index] ?? key) === key)
  if (isWhole) return pattern.map((segment, index) => segment ?? keys[index] ?? "")
  // A key may contain what separates the segments of a path.
  return holes === 1 ? fill(pattern, [text]) : undefined
}

function fill(pattern: ItemTool["pattern"], keys: readonly string[]): Path {
  let next = 0
  return pattern.map((segment) => segment ?? keys[next++] ?? "")
}

/** Finds the name of an item's own action, listed or not. */
function findName(view: View, path: Path, key: string): string | undefined {
  const there = view.serviceAt(path)
  const isHere = there !== undefined && comparePaths(there.path, path) === 0
  const own = there && view.toolAt(there.path, key)?.name
  const isKnown = own !== undefined && view.resolve(own).status !== "unknown"
  if (isHere && isKnown) return own
  // The name that its path gives it stays callable when it moves, so that an answer finds the call that was asked about.
  const { name } = view.nameOf(path, key)
  const named = view.resolve(name)
  if (named.status !== "unknown" && isAction(named.entry, [path, there?.path ?? path], key)) return name
  return isKnown ? own : undefined
}

function isAction(entry: ToolEntry, paths: readonly Path[], key: string): boolean {
  return entry.key === key && paths.some((path) => comparePaths(path, entry.path) === 0)
}

function noItem({ name, parameter, all, collection }: ItemTool, item: unknown): Failure {
  const items = all.map((member) => JSON.stringify(member.item))
  const shown = items.slice(0, SHOWN).join(", ")
  const more = items.length > SHOWN ? `, or one of ${items.length - SHOWN} more below "${formatPath(collection)}"` : ""
  const expected = items.length === 0 ? "there is none now" : `choose from ${shown}${more}`
  const found = item === undefined ? "is missing" : `${JSON.stringify(String(item).slice(0, 100))} is unknown`
  return invalidInput(name, [{ path: [parameter], message: `the item ${found}: ${expected}` }])
}

const SHOWN = 20
