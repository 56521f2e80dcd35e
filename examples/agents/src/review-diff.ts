#!/usr/bin/env node
// git diff | review-diff
import { defineAgent, runAgent } from "@x/service-cli"

/** What is looked for in each line that a diff adds. */
const RULES: Readonly<Record<string, RegExp>> = {
  "a secret":
    /AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY-----|\b(?:password|token|secret)\b\s*[:=]\s*["'][^"']{8,}["']/i,
  "a conflict that was not resolved": /^(?:<{7}|={7}|>{7})(?:\s|$)/,
  "a test that keeps others from running": /\b(?:describe|it|test)\.only\(/,
  "something left over from debugging": /\bdebugger\b|\bconsole\.(?:log|debug)\(/,
  "something still to be done": /\b(?:TODO|FIXME|XXX)\b/,
}

/** Something to look at before the change is shared. */
interface Finding {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly text: string
}

export const agent = defineAgent({
  name: "review-diff",
  version: "1.0.0",
  description:
    "Reviews a diff: finds secrets, leftovers of debugging, tests that keep others from running, and overlong lines",
  contextDescription: "A diff, as `git diff` prints it",
  options: {
    limit: { type: "integer", minimum: 1, default: 50, description: "The most findings" },
  },
  config: {
    width: { type: "integer", minimum: 40, default: 120, description: "The most characters of a line" },
    ignore: {
      type: "array",
      items: { type: "string" },
      default: [],
      description: "Parts of paths that are not looked at",
    },
  },
  readOnly: true,
  tools: [
    {
      name: "rules",
      description: "Tells what is looked for",
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
      // Of a secret nothing is repeated.
      findings.push(...broken.map((rule) => ({ file, line, rule, text: rule === "a secret" ? "…" : text.trim() })))
    }
    return { result: { findings: findings.slice(0, options.limit), all: findings.length } }
  },
})

/** The lines that a diff adds, each with its place in the file as it will be. */
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
