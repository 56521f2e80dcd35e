/**
 * Reads what OpenAPI 3.0 and draft 4 say as 2020-12 means it, where the validator does not: `nullable` is one more type, and
 * a limit of which `exclusive…` is `false` is a limit like any other.
 */
export function modernise(schema: object): Readonly<Record<string, unknown>> {
  const { nullable, ...rest }: Readonly<Record<string, unknown>> = { ...schema }
  const { type, enum: members } = rest
  const entries = Object.entries(
    nullable === true && type !== undefined ? { ...rest, ...withNull(type, members) } : rest,
  )
  return Object.fromEntries(entries.filter(([keyword, value]) => value !== false || !EXCLUSIVE.has(keyword)))
}

const EXCLUSIVE: ReadonlySet<string> = new Set(["exclusiveMinimum", "exclusiveMaximum"])

function withNull(type: unknown, members: unknown): object {
  const isListed = Array.isArray(members) && !members.includes(null)
  return { type: [type, "null"].flat(), ...(isListed && { enum: [...members, null] }) }
}
