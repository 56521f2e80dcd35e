import { readFileSync } from "node:fs"
import { join } from "node:path"
import { type TOOLS, toolFolder } from "./tools.js"

/** A run of an official suite. */
export interface Suite {
  /** The name in reports and exceptions. */
  readonly name: string
  /** The conformance tool's release. */
  readonly tool: keyof typeof TOOLS
  /** The tool's arguments, which select scenarios. */
  readonly args: readonly string[]
  /** Returns the required scenarios, so that a skipped scenario is detected. */
  scored(): readonly string[]
}

/** The suites' runs against servers. */
export const suites: readonly Suite[] = [
  { name: "0.1.16 all", tool: "conformance-0.1", args: ["--suite", "all"], scored: () => ALL_OF_0_1 },
  required("2025-11-25"),
  required("2026-07-28"),
]

/** The suites' runs against clients. Together they cover every scenario in each of its revisions. */
export const clientSuites: readonly Pick<Suite, "name" | "tool" | "args">[] = [
  { name: "0.1.16 all", tool: "conformance-0.1", args: ["--suite", "all"] },
  { name: "0.2.0-alpha.12 2025-11-25", tool: "conformance-0.2", args: ["--requirements", "2025-11-25"] },
  { name: "0.2.0-alpha.12 2026-07-28", tool: "conformance-0.2", args: ["--requirements", "2026-07-28"] },
  { name: "0.2.0-alpha.12 backcompat", tool: "conformance-0.2", args: ["--suite", "backcompat"] },
  // The scenarios about skills belong to no suite and no revision's requirements.
  ...["no-prefetch", "verify-digest", "verify-size", "verify-frontmatter"].map((name) => ({
    name: `0.2.0-alpha.12 skills, ${name}`,
    tool: "conformance-0.2" as const,
    args: ["--scenario", `sep-2640-client-${name}`],
  })),
]

/** A revision's requirements, frozen at its release. */
function required(revision: string): Suite {
  return {
    name: `0.2.0-alpha.12 ${revision}`,
    tool: "conformance-0.2",
    args: ["--requirements", revision],
    scored: () =>
      serverList(readFileSync(join(toolFolder("conformance-0.2"), "requirements", `${revision}.yaml`), "utf8")),
  }
}

/** Parses the list under `server:`, which holds only plain words. */
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
