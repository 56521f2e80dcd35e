import { isRecord } from "@x/tool-schemas/json"
import type { Variables } from "./variables.js"

/** Something that is read as our own key, or says what was expected instead. */
interface Spelling {
  /** The key that we have for it. */
  readonly ours: string
  /** What its value has to be, in words. */
  readonly expected: string
  /** Returns the value as it is here; `undefined` if it is none that could be meant. */
  read(value: unknown): unknown
}

const texts = (ours: string): Spelling => ({
  ours,
  expected: "a list of texts",
  read: (value) => (Array.isArray(value) && value.every((each) => typeof each === "string") ? value : undefined),
})
const text = (ours: string): Spelling => ({
  ours,
  expected: "a text",
  read: (value) => (typeof value === "string" ? value : undefined),
})
const record = (ours: string): Spelling => ({
  ours,
  expected: "an object",
  read: (value) => (isRecord(value) ? value : undefined),
})

/** Keys of hosts for what we call otherwise. */
const SPELLINGS: Readonly<Record<string, Spelling>> = {
  cmd: text("command"),
  httpUrl: text("url"),
  serverUrl: text("url"),
  uri: text("url"),
  transport: text("type"),
  transportType: text("type"),
  workingDirectory: text("cwd"),
  working_directory: text("cwd"),
  environment: record("env"),
  envs: record("env"),
  http_headers: record("headers"),
  tools: texts("include"),
  includeTools: texts("include"),
  enabledTools: texts("include"),
  enabled_tools: texts("include"),
  allowedTools: texts("include"),
  allowed_tools: texts("include"),
  excludeTools: texts("exclude"),
  excludedTools: texts("exclude"),
  disabledTools: texts("exclude"),
  disabled_tools: texts("exclude"),
  deniedTools: texts("exclude"),
  blockedTools: texts("exclude"),
  enabled: {
    ours: "disabled",
    expected: "true or false",
    read: (value) => (typeof value === "boolean" ? !value : undefined),
  },
}

/** What hosts write for themselves: approvals that they ask for less often, patience, and what they show. */
const HOSTS_OWN: ReadonlySet<string> = new Set([
  "alwaysAllow",
  "alwaysLoad",
  "author",
  "autoApprove",
  "autoStart",
  "bundled",
  "comment",
  "dev",
  "displayName",
  "display_name",
  "extensionName",
  "gallery",
  "homepage",
  "icon",
  "iconPath",
  "icons",
  "initTimeout",
  "metadata",
  "name",
  "networkTimeout",
  "notes",
  "repository",
  "required",
  "startup_timeout",
  "supports_parallel_tool_calls",
  "tags",
  "timeout",
  "title",
  "trust",
  "version",
  "watchPaths",
])

/** Keys that say nothing only with these values; with any other they restrict the server or let it in. */
const HARMLESS: Readonly<Record<string, readonly unknown[]>> = {
  authProviderType: ["dynamic_discovery"],
  remote: [false],
  sandboxEnabled: [false],
  requireApproval: [false, "never"],
}

/** What else is said of keys that are not read. */
const REMEDIES: Readonly<Record<string, string>> = {
  headersHelper: "its headers come from a program that is not run: put them into headers, with a variable",
  sandbox: "there is no sandbox here: run its command in one",
  sandboxEnabled: "there is no sandbox here: run its command in one",
  authProviderType: "this kind of sign-in is not known: put a token into headers, with a variable",
  requireApproval: "approvals are a matter of the host that asks: leave it out here",
}

/** What was read of an entry. */
export interface ReadKeys {
  /** The entry with our own keys. */
  readonly server: Readonly<Record<string, unknown>>
  /** The keys that say nothing to a gateway. */
  readonly ignored: readonly string[]
}

/** Reads the keys of an entry as our own. A key that is not known is a fault: it might restrict the server. */
export function readKeys(entry: Readonly<Record<string, unknown>>, options: KeyOptions): ReadKeys {
  const { known, variables, path } = options
  const server: Record<string, unknown> = {}
  const ignored: string[] = []
  for (const [key, value] of Object.entries(entry)) {
    const spelling = Object.hasOwn(SPELLINGS, key) ? SPELLINGS[key] : undefined
    if (known.has(key)) take(server, { key, ours: key, value }, options)
    else if (spelling !== undefined) takeAs(spelling, { server, key, value }, options)
    else if (HOSTS_OWN.has(key)) ignored.push(key)
    else if (!isComment(key) && !isHarmless(key, value)) variables.fault([...path, key], faultOf(key))
  }
  return { server, ignored }
}

function takeAs(
  { ours, expected, read }: Spelling,
  { server, key, value }: { readonly server: Record<string, unknown>; readonly key: string; readonly value: unknown },
  options: KeyOptions,
): void {
  const found = read(value)
  if (found === undefined) options.variables.fault([...options.path, key], `expected ${expected}`)
  else take(server, { key, ours, value: found }, options)
}

/** Takes a value for one of our keys. Two keys that say different things are a fault, but for lists of tools that are left out. */
function take(
  server: Record<string, unknown>,
  { key, ours, value }: { readonly key: string; readonly ours: string; readonly value: unknown },
  { variables, path }: KeyOptions,
): void {
  const before = server[ours]
  if (before === undefined) server[ours] = value
  else if (ours === "exclude" && Array.isArray(before) && Array.isArray(value)) server[ours] = [...before, ...value]
  else if (JSON.stringify(before) !== JSON.stringify(value))
    variables.fault([...path, key], `says otherwise than another key for "${ours}": keep one of them`)
}

/** How keys are read. */
export interface KeyOptions {
  /** Our own keys. */
  readonly known: ReadonlySet<string>
  /** Takes the faults. */
  readonly variables: Pick<Variables, "fault">
  /** Where the entry stands. */
  readonly path: readonly string[]
}

function isComment(key: string): boolean {
  return /^(_|\$schema$|\/\/|#)/.test(key)
}

function isHarmless(key: string, value: unknown): boolean {
  if (key === "sandbox") return false
  return Object.hasOwn(HARMLESS, key) && (HARMLESS[key]?.includes(value) ?? false)
}

function faultOf(key: string): string {
  const remedy = Object.hasOwn(REMEDIES, key) ? REMEDIES[key] : undefined
  return remedy ?? "is not known, and may restrict the server: remove it, or say it in a way that is read"
}
