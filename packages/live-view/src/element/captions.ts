import type { CallFrame, ChangeFrame, Frame } from "../frames/frame.js"
import { toWho } from "../frames/who.js"
import { toDuration } from "./times.js"
import type { StoryLine, UiState } from "./ui-state.js"

/** Adds a frame's description to the story, which has a limited length. */
export function addToStory(ui: UiState, frame: Frame): void {
  ui.story.push(...toCaptions(frame))
  if (ui.story.length > 600) ui.story.splice(0, 300)
}

/** Describes a frame in a few lines. Returns no lines for minor frames. */
export function toCaptions(frame: Frame): readonly StoryLine[] {
  const { at } = frame
  switch (frame.type) {
    case "start":
      return [
        {
          at,
          tone: "note",
          text: `Started with ${count(frame.tools.filter(({ available }) => available).length, "available tool")}.`,
        },
      ]
    case "call":
      return toCallCaption(frame)
    case "change":
      return frame.quiet ? [] : toChangeCaptions(frame)
    case "notice":
      return [{ at, tone: "notice", text: toNotice(frame.kind, frame.uri) }]
    case "clients":
      return [
        { at, tone: "note", text: `${count(frame.clients.length + frame.more, "client")} listening for changes.` },
      ]
    case "note":
      return [{ at, tone: "note", text: `${frame.code}: ${frame.message}` }]
    case "skipped":
      return [{ at, tone: "note", text: `${count(frame.calls, "call")} not shown, because there were too many.` }]
  }
}

function toCallCaption(call: CallFrame): readonly StoryLine[] {
  const { at, name, status, duration = 0 } = call
  if (call.again === true && (status === "ok" || status === "handed")) return []
  const took = toDuration(duration)
  switch (status) {
    case "running":
      return [{ at, tone: "call", text: `${toWho(call)} calls ${name}.` }]
    case "handed":
      return [{ at, tone: "call", text: `${name} goes on as a task.` }]
    case "asked":
      return [{ at, tone: "call", text: `${name} asks a person first.` }]
    case "ok":
      return [{ at, tone: "good", text: `${name} completed in ${took}.` }]
    case "failed":
      return [{ at, tone: "bad", text: `${name} failed after ${took}: ${call.code ?? "no reason given"}.` }]
    case "stuck":
      return [{ at, tone: "bad", text: `${name} was told to stop but is still running.` }]
    case "late":
      return [{ at, tone: "note", text: `${name} finished late.` }]
  }
}

function toChangeCaptions(frame: ChangeFrame): readonly StoryLine[] {
  const lines = [...toToolLines(frame), ...toOtherLines(frame)]
  return lines.map((text) => ({ at: frame.at, tone: "change", text }))
}

function toToolLines({ put = [], back = [], away = [], reasons = [], gone = [] }: ChangeFrame): readonly string[] {
  const came = [...put.filter((tool) => tool.available).map(({ name }) => name), ...back]
  const went = [...away, ...gone.map((name) => ({ name, reason: undefined }))]
  const still = [...put.filter((tool) => !tool.available), ...reasons]
  return [
    ...(came.length > 0 ? [`${list(came)} became available.`] : []),
    ...toAwayLines(went, "became unavailable"),
    ...toAwayLines(still, "not available"),
  ]
}

function toAwayLines(tools: Parameters<typeof byReason>[0], said: string): readonly string[] {
  return [...byReason(tools)].map(([reason, names]) => `${list(names)} ${said}${reason === "" ? "" : `: ${reason}`}.`)
}

function toOtherLines({ values = [], replaced = [], links = [], linksGone = [] }: ChangeFrame): readonly string[] {
  const lines: string[] = []
  if (values.length > 0)
    lines.push(`${list(values.map(({ uri }) => toStateName(uri)))} ${values.length === 1 ? "has" : "have"} changed.`)
  if (replaced.length > 0)
    lines.push(`${list(replaced.map(toPlace))} ${replaced.length === 1 ? "was" : "were"} replaced.`)
  if (links.length > 0) lines.push(`${toLinks(links.map(({ path }) => path))} added.`)
  if (linksGone.length > 0) lines.push(`${toLinks(linksGone)} removed.`)
  return lines
}

function toPlace(path: readonly string[]): string {
  return path.length === 0 ? "The application" : path.join("/")
}

function toLinks(paths: readonly (readonly string[])[]): string {
  const names = list(paths.map((path) => path.join("/")))
  return paths.length === 1 ? `The link ${names} was` : `The links ${names} were`
}

function byReason(went: readonly { readonly name: string; readonly reason?: string | undefined }[]) {
  const groups = new Map<string, string[]>()
  for (const { name, reason = "" } of went) groups.set(reason, [...(groups.get(reason) ?? []), name])
  return groups
}

function toNotice(kind: string, uri: string | undefined): string {
  if (kind === "updated") return `Clients subscribed to ${toStateName(uri ?? "")} were notified.`
  return kind === "known" ? "The list of known tools has changed." : `Clients were notified that the ${kind} changed.`
}

/** Returns a state's path without the server's name. */
function toStateName(uri: string): string {
  const encoded = uri.replace(/^[a-z]+:\/\/[^/]*\//, "")
  try {
    return decodeURIComponent(encoded)
  } catch {
    // A recording may contain any URI.
    return encoded
  }
}

function list(names: readonly string[]): string {
  const first = names.slice(0, 3).join(", ")
  return names.length > 3 ? `${first} and ${names.length - 3} more` : first
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`
}
