import type { CallFrame, ChangeFrame, Frame } from "../frames/frame.js"
import { toWho } from "../frames/who.js"
import type { StoryLine } from "./ui-state.js"

/** Says what happened here, in a line or a few; nothing where it is not worth one. */
export function toCaptions(frame: Frame): readonly StoryLine[] {
  const { at } = frame
  switch (frame.type) {
    case "start":
      return [
        { at, tone: "note", text: `It begins with ${frame.tools.filter((tool) => tool.available).length} tools.` },
      ]
    case "call":
      return toCallCaption(frame)
    case "change":
      return frame.quiet ? [] : toChangeCaptions(frame)
    case "notice":
      return [{ at, tone: "notice", text: toNotice(frame.kind, frame.uri) }]
    case "clients":
      return [
        { at, tone: "note", text: `${count(frame.clients.length + frame.more, "client")} listening to changes now.` },
      ]
    case "note":
      return [{ at, tone: "note", text: `${frame.code}: ${frame.message}` }]
    case "skipped":
      return [{ at, tone: "note", text: `${count(frame.calls, "call")} more, too many to show.` }]
  }
}

function toCallCaption(call: CallFrame): readonly StoryLine[] {
  const { at, name, status, duration = 0 } = call
  // A later frame of the same call may only add what it changed.
  if (at > call.began + duration + 1 && call.changed !== undefined && status === "ok") return []
  const took = `${Math.max(1, Math.round(duration))} ms`
  switch (status) {
    case "running":
      return [{ at, tone: "call", text: `${toWho(call)} calls ${name}.` }]
    case "asked":
      return [{ at, tone: "call", text: `${name} asks a person first.` }]
    case "ok":
      return [{ at, tone: "good", text: `${name} is done, after ${took}.` }]
    case "failed":
      return [{ at, tone: "bad", text: `${name} failed after ${took}: ${call.code ?? "it does not say why"}.` }]
    case "stuck":
      return [{ at, tone: "bad", text: `${name} does not stop, though it was told to.` }]
    case "late":
      return [{ at, tone: "note", text: `${name} has ended after all.` }]
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
    ...(came.length > 0 ? [`${list(came)} can be called now.`] : []),
    ...toAwayLines(went, "cannot be called any more"),
    ...toAwayLines(still, "cannot be called now"),
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
    lines.push(`${list(replaced.map(toPlace))} ${replaced.length === 1 ? "is" : "are"} another than before.`)
  if (links.length > 0) lines.push(`${toLinks(links.map(({ path }) => path))} there.`)
  if (linksGone.length > 0) lines.push(`${toLinks(linksGone)} gone.`)
  return lines
}

function toPlace(path: readonly string[]): string {
  return path.length === 0 ? "The application" : path.join("/")
}

function toLinks(paths: readonly (readonly string[])[]): string {
  const names = list(paths.map((path) => path.join("/")))
  return paths.length === 1 ? `The link ${names} is` : `The links ${names} are`
}

function byReason(went: readonly { readonly name: string; readonly reason?: string | undefined }[]) {
  const groups = new Map<string, string[]>()
  for (const { name, reason = "" } of went) groups.set(reason, [...(groups.get(reason) ?? []), name])
  return groups
}

function toNotice(kind: string, uri: string | undefined): string {
  if (kind === "updated") return `Clients that listen to ${toStateName(uri ?? "")} are told.`
  return kind === "known" ? "The list of known tools has changed." : `Clients are told that the ${kind} have changed.`
}

/** The path of a state without the server's name. */
function toStateName(uri: string): string {
  const encoded = uri.replace(/^[a-z]+:\/\/[^/]*\//, "")
  try {
    return decodeURIComponent(encoded)
  } catch {
    // A recording may name a state as it likes.
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
