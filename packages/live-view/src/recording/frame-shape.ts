import type { JsonValue } from "@x/base"
import {
  array,
  boolean,
  check,
  custom,
  exactOptional,
  finite,
  type GenericSchema,
  literal,
  maxLength,
  minLength,
  minValue,
  number,
  object,
  picklist,
  pipe,
  safeParse,
  string,
  variant,
} from "valibot"
import type { CallFrame, ClientRow, Frame, LinkRow, StartFrame, StateRow, ToolRow } from "../frames/frame.js"

// Validates recordings, which may come from anyone, by the shapes that `record` writes. The compiler checks each shape against
// its type, so that the two cannot diverge.

/** JSON has only finite numbers, but `1e999` parses as infinite. */
const figure = pipe(number(), finite())
const count = pipe(figure, minValue(0))
const texts = array(string())
const truth = literal(true)

/** The deepest nesting of a value, twice what `record` writes. The page walks values recursively. */
const DEEPEST = 100
const json = pipe(
  // Any value that `JSON.parse` returns.
  custom<JsonValue>(() => true),
  check((value) => isShallow(value), `Invalid value: Expected at most ${DEEPEST} levels`),
)

const leg = object({ transport: string(), era: picklist(["legacy", "modern"]) })

const toolRow: GenericSchema<unknown, ToolRow> = object({
  name: string(),
  path: texts,
  key: string(),
  title: exactOptional(string()),
  description: string(),
  hints: texts,
  available: boolean(),
  reason: exactOptional(string()),
})

const stateRow: GenericSchema<unknown, StateRow> = object({
  uri: string(),
  name: string(),
  path: texts,
  description: exactOptional(string()),
  mimeType: string(),
  revision: count,
  changes: count,
  value: exactOptional(json),
  cut: exactOptional(truth),
})

const linkRow: GenericSchema<unknown, LinkRow> = object({
  path: pipe(texts, minLength(1)),
  canonical: texts,
  description: exactOptional(string()),
  service: string(),
})

const info = object({ name: string(), version: string() })

const clientRow: GenericSchema<unknown, ClientRow> = object({
  client: string(),
  info: exactOptional(info),
  principal: exactOptional(string()),
  leg,
  kinds: texts,
  uris: texts,
})

const call = object({
  type: literal("call"),
  at: figure,
  id: string(),
  name: string(),
  client: string(),
  info: exactOptional(info),
  principal: exactOptional(string()),
  leg,
  status: picklist(["running", "handed", "asked", "stuck", "ok", "failed", "late"]),
  progress: exactOptional(string()),
  args: exactOptional(json),
  result: exactOptional(json),
  cut: exactOptional(truth),
  questions: exactOptional(texts),
  code: exactOptional(string()),
  duration: exactOptional(figure),
  began: figure,
  before: exactOptional(count),
  after: exactOptional(count),
  changed: exactOptional(texts),
  changedMore: exactOptional(count),
  again: exactOptional(truth),
})

const builtIns = object({
  dynamic: texts,
  stable: texts,
  meta: texts,
  grouped: exactOptional(array(object({ name: string(), actions: texts }))),
})

const away = array(object({ name: string(), reason: exactOptional(string()) }))

const start = object({
  type: literal("start"),
  at: figure,
  name: string(),
  version: string(),
  instructions: exactOptional(string()),
  time: string(),
  principal: exactOptional(string()),
  show: object({ arguments: boolean(), results: boolean(), values: boolean() }),
  revision: count,
  tools: array(toolRow),
  builtIns,
  states: array(stateRow),
  links: array(linkRow),
  calls: array(call satisfies GenericSchema<unknown, CallFrame>),
  clients: array(clientRow),
})

const change = object({
  type: literal("change"),
  at: figure,
  revision: count,
  quiet: exactOptional(truth),
  put: exactOptional(array(toolRow)),
  back: exactOptional(texts),
  away: exactOptional(away),
  reasons: exactOptional(away),
  builtIns: exactOptional(builtIns),
  gone: exactOptional(texts),
  states: exactOptional(array(stateRow)),
  statesGone: exactOptional(texts),
  values: exactOptional(array(object({ uri: string(), value: exactOptional(json), cut: exactOptional(truth) }))),
  replaced: exactOptional(array(texts)),
  links: exactOptional(array(linkRow)),
  linksGone: exactOptional(array(texts)),
})

const frame: GenericSchema<unknown, Frame> = variant("type", [
  start,
  change,
  call,
  object({
    type: literal("notice"),
    at: figure,
    kind: picklist(["tools", "known", "resources", "updated"]),
    uri: exactOptional(string()),
  }),
  object({
    type: literal("clients"),
    at: figure,
    clients: pipe(array(clientRow), maxLength(200)),
    more: count,
  }),
  object({ type: literal("note"), at: figure, code: string(), message: string() }),
  object({ type: literal("skipped"), at: figure, calls: count }),
])

/** Parses the start of a recording. */
export function readStart(value: unknown): StartFrame | Fault {
  return read<StartFrame>(start, value)
}

/** Parses one frame. */
export function readFrame(value: unknown): Frame | Fault {
  return read(frame, value)
}

/** A validation error and its location. */
export interface Fault {
  /** The message. */
  readonly fault: string
}

function read<Shape extends object>(schema: GenericSchema<unknown, Shape>, value: unknown): Shape | Fault {
  const { success, output, issues } = safeParse(schema, value, { abortEarly: true })
  if (success) return output
  const [{ message, path }] = issues
  const place = path?.map(({ key }) => String(key)).join(".")
  return { fault: place === undefined ? message : `${message}, at "${place}"` }
}

/** Whether a value is nested within the limit. Checks level by level, because recursion could overflow the stack. */
function isShallow(value: unknown): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return false
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []))
  }
  return true
}
