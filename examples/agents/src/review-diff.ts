#!/usr/bin/env node
// git diff | review-diff
import { defineAgent, runAgent } from "@x/service-cli"

/** The checks of each line that a diff adds. */
const RULES: Readonly<Record<string, RegExp>> = {
  "a secret":
    /AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY-----|\b(?:password|token|secret)\b\s*[:=]\s*["'][^"']{8,}["']/i,
  "a conflict that was not resolved": /^(?:<{7}|={7}|>{7})(?:\s|$)/,
  "a test that excludes all others": /\b(?:describe|it|test)\.only\(/,
  "a leftover of debugging": /\bdebugger\b|\bconsole\.(?:log|debug)\(/,
  "an open to-do": /\b(?:TODO|FIXME|XXX)\b/,
}

/** A finding about an added line. */
interface Finding {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly text: string
}

export const agent = defineAgent({
  name: "review-diff",
  version: "1.0.0",
  description: "Reviews a diff: finds secrets, leftovers of debugging, exclusive tests and overlong lines",
  contextDescription: "A diff, as `git diff` prints it",
  options: {
    limit: { type: "integer", minimum: 1, default: 50, description: "The maximum of findings" },
  },
  config: {
    width: { type: "integer", minimum: 40, default: 120, description: "The maximum of characters in a line" },
    ignore: {
      type: "array",
      items: { type: "string" },
      default: [],
      description: "Parts of paths to skip",
    },
  },
  readOnly: true,
  tools: [
    {
      name: "rules",
      description: "Lists the checks",
      readOnly: true,
      handler: (_, { config }) => ({
        result: [...Object.keys(RULES), `a line of more than ${config.width} characters`],
      }),
    },
  ],
  execute({ input, options, config, progress }) {
    const findings: Finding[] = []
    for (const { file, line, text } of addedLines(input)) {
      if (config.ignore.some((part) => file.includes(String(part)))) continue
      progress(`reading ${file}`)
      const broken = Object.entries(RULES).flatMap(([rule, pattern]) => (pattern.test(text) ? [rule] : []))
      if (text.length > config.width) broken.push(`a line of more than ${config.width} characters`)
      // Do not repeat any part of a secret.
      findings.push(...broken.map((rule) => ({ file, line, rule, text: rule === "a secret" ? "…" : text.trim() })))
    }
    return { result: { findings: findings.slice(0, options.limit), all: findings.length } }
  },
})

/** Returns the lines that a diff adds, each with its file and its line number after the change. */
function* addedLines(diff: string): Generator<Omit<Finding, "rule">> {
  let file = ""
  let line = 0
  for (const row of diff.split("\n")) {
    const [, name] = /^\+\+\+ (?:b\/)?(.+)$/.exec(row) ?? []
    const [, start] = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(row) ?? []
    if (name !== undefined) file = name
    else if (start !== undefined) line = Number(start) - 1
    else if (!row.startsWith("-")) line += 1
    if (name === undefined && row.startsWith("+")) yield { file, line, text: row.slice(1) }
  }
}

await runAgent(agent, import.meta)
