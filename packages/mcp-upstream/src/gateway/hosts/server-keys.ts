import { isRecord } from "@x/base"
import { likelyKey } from "../likely-key.js"
import type { Variables } from "./variables.js"

/** The conversion of a host's key to ours. */
interface Spelling {
  /** Our key. */
  readonly ours: string
  /** The expected value, in words. */
  readonly expected: string
  /** Returns the converted value; `undefined` if it is invalid. */
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

/** Hosts' names for keys of ours. */
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

/** Settings for the host only: skipped approvals, display, and timeouts without a unit. */
const HOSTS_OWN: ReadonlySet<string> = new Set([
  "alwaysAllow",
  "alwaysLoad",
  "author",
  "autoApprove",
  "autoStart",
  "bundled",
  "comment",
  "deferTools",
  "dev",
  "disableToolCache",
  "displayName",
  "display_name",
  "extension",
  "extensionName",
  "filterMapping",
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
  "slowConnectionThresholdMs",
  "startup_timeout",
  "supports_parallel_tool_calls",
  "tags",
  "timeout",
  "title",
  "trust",
  "version",
  "watchPaths",
])

/** Keys that have no effect with these values only; any other value restricts the server or grants access. */
const HARMLESS: Readonly<Record<string, readonly unknown[]>> = {
  authProviderType: ["dynamic_discovery"],
  remote: [false],
  sandboxEnabled: [false],
  requireApproval: [false, "never"],
}

/** Keys of one host, which are read before. */
const ONE_HOSTS: readonly string[] = [
  "available_tools",
  "bearer_token_env_var",
  "default_tools_approval_mode",
  "env_http_headers",
  "env_keys",
  "env_vars",
  "envFile",
  "startup_timeout_sec",
  "tool_timeout_sec",
]

/** The fix for certain unsupported keys. */
const REMEDIES: Readonly<Record<string, string>> = {
  headersHelper: "the gateway does not run the program that prints its headers: put them into headers, with a variable",
  http_headers_helper: "the gateway does not run the program that prints its headers: put them into http_headers",
  sandbox: "the gateway has no sandbox: start the server with a command that runs it in one",
  sandboxEnabled: "the gateway has no sandbox: start the server with a command that runs it in one",
  authProviderType: "the gateway does not have this kind of sign-in: put a token into headers, with a variable",
  targetAudience: "the gateway does not have this kind of sign-in: put a token into headers, with a variable",
  targetServiceAccount: "the gateway does not have this kind of sign-in: put a token into headers, with a variable",
  requireApproval: "the gateway asks nobody before calls: remove it, and let the calling host ask",
}

/** The result of reading an entry's keys. */
export interface ReadKeys {
  /** The entry with our own keys. */
  readonly server: Readonly<Record<string, unknown>>
  /** Keys without effect on a gateway. */
  readonly ignored: readonly string[]
}

/** Converts an entry's keys to ours. An unknown key is a fault, since it might restrict the server. */
export function readKeys(entry: Readonly<Record<string, unknown>>, options: KeyOptions): ReadKeys {
  const { known, variables, path } = options
  const server: Record<string, unknown> = {}
  const ignored: string[] = []
  for (const [key, value] of Object.entries(entry)) {
    const spelling = Object.hasOwn(SPELLINGS, key) ? SPELLINGS[key] : undefined
    if (known.has(key)) take(server, { key, ours: key, value }, options)
    else if (spelling !== undefined) takeAs(spelling, { server, key, value }, options)
    else if (HOSTS_OWN.has(key)) ignored.push(key)
    else if (!isComment(key) && !isHarmless(key, value)) variables.fault([...path, key], faultOf(key, known))
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

/** Sets a key of ours. Two keys with different values are a fault, except lists of excluded tools. */
function take(
  server: Record<string, unknown>,
  { key, ours, value }: { readonly key: string; readonly ours: string; readonly value: unknown },
  { variables, path }: KeyOptions,
): void {
  const before = server[ours]
  if (before === undefined) server[ours] = value
  else if (ours === "exclude" && Array.isArray(before) && Array.isArray(value)) server[ours] = [...before, ...value]
  else if (JSON.stringify(before) !== JSON.stringify(value))
    variables.fault([...path, key], `another key for "${ours}" has another value: keep one of them`)
}

/** Options for reading keys. */
export interface KeyOptions {
  /** Our own keys. */
  readonly known: ReadonlySet<string>
  /** Collects the faults. */
  readonly variables: Pick<Variables, "fault">
  /** The entry's place in the file. */
  readonly path: readonly string[]
}

function isComment(key: string): boolean {
  return /^(_|\$schema$|\/\/|#)/.test(key)
}

function isHarmless(key: string, value: unknown): boolean {
  if (key === "sandbox") return false
  return Object.hasOwn(HARMLESS, key) && (HARMLESS[key]?.includes(value) ?? false)
}

function faultOf(key: string, known: ReadonlySet<string>): string {
  const remedy = Object.hasOwn(REMEDIES, key) ? REMEDIES[key] : undefined
  if (remedy !== undefined) return remedy
  const likely = likelyKey(key, [...known, ...Object.keys(SPELLINGS), ...ONE_HOSTS])
  const hint = likely === undefined ? "" : `did you mean "${likely}"? `
  const then = likely === undefined ? "remove it, or use include, exclude or disabled" : "correct or remove it"
  return `is not a known key, and may restrict the server: ${hint}${then}`
}
