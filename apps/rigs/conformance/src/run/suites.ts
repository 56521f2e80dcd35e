import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type TOOLS, toolFolder } from "./tools.js"

/** One run of one of the official suites. */
export interface Suite {
  /** How it is called in reports and exceptions. */
  readonly name: string
  /** What it is run with. */
  readonly tool: keyof typeof TOOLS
  /** Which of its scenarios are run. */
  readonly args: readonly string[]
  /** The scenarios that count, so that one that did not run is missed. */
  scored(): readonly string[]
}

/** All of them. */
export const suites: readonly Suite[] = [
  { name: "0.1.16 all", tool: "conformance-0.1", args: ["--suite", "all"], scored: () => ALL_OF_0_1 },
  required("2025-11-25"),
  required("2026-07-28"),
]

/** What a revision requires, frozen at its release. */
function required(revision: string): Suite {
  return {
    name: `0.2.0-alpha.12 ${revision}`,
    tool: "conformance-0.2",
    args: ["--requirements", revision],
    scored: () =>
      serverList(readFileSync(join(toolFolder("conformance-0.2"), "requirements", `${revision}.yaml`), "utf8")),
  }
}

/** The list under `server:`; the file has no other YAML than lists of plain words there. */
function serverList(yaml: string): readonly string[] {
  const [, list = ""] = /^server:\n((?: +- .*\n)+)/m.exec(yaml) ?? []
  return list.split("\n").flatMap((line) => /^ +- (\S+)/.exec(line)?.[1] ?? [])
}

const ALL_OF_0_1: readonly string[] = `
  server-initialize logging-set-level ping completion-complete tools-list tools-call-simple-text tools-call-image
  tools-call-audio tools-call-embedded-resource tools-call-mixed-content tools-call-with-logging tools-call-error
  tools-call-with-progress tools-call-sampling tools-call-elicitation json-schema-2020-12 elicitation-sep1034-defaults
  server-sse-polling server-sse-multiple-streams elicitation-sep1330-enums resources-list resources-read-text
  resources-read-binary resources-templates-read resources-subscribe resources-unsubscribe prompts-list
  prompts-get-simple prompts-get-with-args prompts-get-embedded-resource prompts-get-with-image
  dns-rebinding-protection`
  .trim()
  .split(/\s+/)
