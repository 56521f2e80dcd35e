/**
 * Reads a schema of an older draft, or of OpenAPI 3.0, as 2020-12 means it: `nullable` is one more type, a limit that
 * `exclusive…: true` excludes is an exclusive limit, and a list in `items` says what stands at each place.
 */
export function modernise(schema: object): Readonly<Record<string, unknown>> {
  const {
    nullable,
    type,
    enum: members,
    items,
    additionalItems,
    ...rest
  }: Readonly<Record<string, unknown>> = { ...schema }
  const isTuple = Array.isArray(items) && rest["prefixItems"] === undefined
  const others = isTuple ? additionalItems : items
  return withLimits({
    ...rest,
    ...(type !== undefined && { type: nullable === true ? [type, "null"].flat() : type }),
    ...(members !== undefined && { enum: nullable === true && type !== undefined ? withNull(members) : members }),
    ...(isTuple && { prefixItems: items }),
    ...(others !== undefined && { items: others }),
  })
}

function withNull(members: unknown): unknown {
  return Array.isArray(members) && !members.includes(null) ? [...members, null] : members
}

function withLimits(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const limits = ["Minimum", "Maximum"].map((name) => {
    const [plain, exclusive] = [name.toLowerCase(), `exclusive${name}`]
    if (typeof schema[exclusive] !== "boolean") return {}
    const { [plain]: value } = schema
    return schema[exclusive] ? { [plain]: undefined, [exclusive]: value } : { [exclusive]: undefined }
  })
  const all = Object.entries(Object.assign({ ...schema }, ...limits))
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}
