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
  const { at, put = [], back = [], away = [], reasons = [], gone = [], values = [], links = [], linksGone = [] } = frame
  const came = [...put.filter((tool) => tool.available).map(({ name }) => name), ...back]
  const went = [...away, ...gone.map((name) => ({ name, reason: undefined }))]
  const still = [...put.filter((tool) => !tool.available), ...reasons]
  const lines: string[] = []
  if (came.length > 0) lines.push(`${list(came)} can be called now.`)
  for (const [reason, names] of byReason(went))
    lines.push(`${list(names)} cannot be called any more${reason === "" ? "" : `: ${reason}`}.`)
  for (const [reason, names] of byReason(still))
    lines.push(`${list(names)} cannot be called now${reason === "" ? "" : `: ${reason}`}.`)
  if (values.length > 0)
    lines.push(`${list(values.map(({ uri }) => toStateName(uri)))} ${values.length === 1 ? "has" : "have"} changed.`)
  if (links.length > 0) lines.push(`${toLinks(links.map(({ path }) => path))} there.`)
  if (linksGone.length > 0) lines.push(`${toLinks(linksGone)} gone.`)
  return lines.map((text) => ({ at, tone: "change", text }))
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
