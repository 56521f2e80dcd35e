/** Nests a text in several levels. */
export function nest(levels: number, around: (inner: object) => object): object {
  return Array.from({ length: levels }).reduce<object>((inner) => around(inner), { type: "string" })
}

/** Hundreds of properties. */
export const manyProperties: Readonly<Record<string, object>> = Object.fromEntries(
  Array.from({ length: 600 }, (_, index) => [`field_${index}`, { type: "string", description: "One of many" }]),
)

/** A cycle of objects, which JSON cannot express. */
export const holdsItself: Record<string, unknown> = { type: "object", title: "Node" }
holdsItself["properties"] = { next: holdsItself, children: { type: "array", items: holdsItself } }

/** Each definition refers twice to the previous one: 4,096 texts when expanded. */
export const doubling: Readonly<Record<string, object>> = Object.fromEntries([
  ["d0", { type: "string" }],
  ...Array.from({ length: 12 }, (_, index) => {
    const before = { $ref: `#/$defs/d${index}` }
    return [`d${index + 1}`, { type: "object", properties: { left: before, right: before } }] as const
  }),
])
