import { SchemaError } from "@x/tool-schemas"
import type { Path } from "../names/path.js"
import type { DiagnosticCode, Report } from "../runtime/diagnostic.js"
import { TooLargeError } from "./assert-small.js"

/** A member that cannot be published. */
export interface BrokenMember {
  /** Which map it is in. */
  readonly kind: "action" | "state" | "link"
  /** The service it belongs to. */
  readonly path: Path
  /** Its key. */
  readonly key: string
  /** What was thrown. */
  readonly cause: unknown
}

/** Tells the operator that a member is left out and the rest served. */
export function reportBroken(report: Report, { kind, path, key, cause }: BrokenMember): void {
  report({
    code: toCode(cause),
    message: `${kind} "${key}" is left out: ${cause instanceof Error ? cause.message : String(cause)}`,
    path,
    key,
    cause,
  })
}

function toCode(cause: unknown): DiagnosticCode {
  if (cause instanceof TooLargeError) return "definition_too_large"
  return cause instanceof SchemaError ? "schema_unpublishable" : "member_invalid"
}
