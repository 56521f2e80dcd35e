import type { Path } from "../names/path.js"
import type { Report } from "../runtime/diagnostic.js"
import { SchemaError } from "../schemas/schema-error.js"

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
    code: cause instanceof SchemaError ? "schema_unpublishable" : "member_invalid",
    message: `${kind} "${key}" is left out: ${cause instanceof Error ? cause.message : String(cause)}`,
    path,
    key,
    cause,
  })
}
