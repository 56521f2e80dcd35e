import { isDeepStrictEqual } from "node:util"

// Allowed differences, and why:
// - the gateway's own tools, its own template, and its tool for each template;
// - a tool's "$schema", which the adapter sets; "destructiveHint", which it always sends; a title among the hints, which it
//   sends as the tool's title; and "execution", since it describes tasks, which the gateway does not forward;
// - in the modern era, the fields that MCP adds to each result;
// - the error text for an unknown name; and for an unknown tool a protocol error, as the specification demands (2026-07-28,
//   server/tools, error handling), even if a server answers with a failed call;
// - the error for a resource that a server neither lists nor covers with a template, since the gateway does not ask the server;
// - progress that some servers still send for a cancelled call;
// - the server name and action name that the gateway adds to elicitations;
// - the time of day, and measured values.
const OURS = ["get_state", "run_action", "list_links", "wait_for"]
const VOLATILE = /\d{1,2}:\d{2}:\d{2}(\s?[AP]M)?|\d{4}-\d{2}-\d{2}T[\d:.]+Z|"uptime":[\d.]+/g

/** Returns the differences between a server's answers and the gateway's, a few lines each. */
export function differences(direct, through) {
  const asked = Object.keys(direct).filter((what) => !isOurs(what))
  const there = asked.flatMap((what) => compare(what, direct[what], through[what]))
  const more = Object.keys(through).filter((what) => !(what in direct) && !isOurs(what))
  return [...there, ...more.map((what) => `${what}: missing in the direct answers`)]
}

function compare(what, before, after) {
  if (after === undefined) return [`${what}: missing through the gateway`]
  if (what.startsWith("read ") && before.refused && isUnknown(after)) return []
  const { later: _, ...told } = before
  const [one, other] = [normalise(what, told), normalise(what, after)]
  return isDeepStrictEqual(one, other)
    ? []
    : [`${what}:\n            ${part(one, other)}\n            ${part(other, one)}`]
}

/** Returns the first difference with its surroundings. */
function part(value, other) {
  const [text, second] = [JSON.stringify(value), JSON.stringify(other)]
  let at = 0
  while (at < text.length && text[at] === second[at]) at += 1
  return text.slice(Math.max(0, at - 80), at + 200)
}

function normalise(what, answer) {
  const { _meta, resultType, ttlMs, cacheScope, ...rest } = answer
  const said = Object.entries(_meta ?? {}).filter(([key]) => !key.startsWith("io.modelcontextprotocol/"))
  if (isUnknown(answer)) return { unknown: true }
  const kept = withOwnWords(said.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(said) })
  const text = JSON.stringify(what.startsWith("tool ") ? toTool(kept) : kept)
  return sort(JSON.parse(text.replaceAll(/"blob":"([^"]*)"/g, decode).replaceAll(VOLATILE, "…")))
}

/** Reduces the elicitations of an answer to the original message of the asking server. */
function withOwnWords({ asked, ...answer }) {
  if (!Array.isArray(asked)) return answer
  return { ...answer, asked: asked.map(({ message, ...question }) => ({ ...question, message: toOwnWords(message) })) }
}

function toOwnWords(message) {
  const own = message.replace(/^The server "[^"]*" asks, in its own words:\n/, "").replace(/^> ?/gm, "")
  return own.replace(/(\n\nAction: [^\n]*(\nArguments: [^\n]*)?)+$/, "")
}

function decode(_, blob) {
  return `"blob":${JSON.stringify(Buffer.from(blob, "base64").toString("latin1"))}`
}

function isUnknown({ refused, isError, content }) {
  const text = refused?.message ?? (isError ? String(content?.[0]?.text) : "")
  return /not found|unknown (tool|prompt)|unknown resource|resource not found/i.test(text)
}

function toTool({ annotations, title, execution, inputSchema, outputSchema, ...tool }) {
  const { title: hinted, ...hints } = annotations ?? {}
  const { $schema: _in, ...input } = inputSchema
  const { $schema: _out, ...output } = outputSchema ?? {}
  const shown = title ?? hinted
  return { ...tool, input, output, ...(shown && { title: shown }), annotations: { destructiveHint: false, ...hints } }
}

function sort(value) {
  if (Array.isArray(value)) return value.map(sort)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sort(value[key])]),
  )
}

function isOurs(what) {
  return (
    OURS.some((tool) => what.startsWith(`tool ${tool}`)) || what === "template state" || what.startsWith("tool read_")
  )
}
