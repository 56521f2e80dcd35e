import { deepFreeze } from "../deep-freeze.js"
import type { Keywords } from "../keywords/keywords.js"
import type { ObjectSchema } from "../object-schema.js"
import type { Profile } from "../profiles/profile.js"
import { isSource, type SchemaSource } from "../schema-source.js"
import { inlineRef } from "./inline-ref.js"
import type { Restore, SchemaChange, Shape } from "./shape.js"
import { shapeNode } from "./shape-node.js"
import type { Site } from "./site.js"

/** A schema as a profile has it. */
export interface ShapedSchema {
  /** What is published; frozen. */
  readonly schema: ObjectSchema
  /** The way back; absent where the arguments are the input as they come. */
  readonly restore?: Restore | undefined
  /** What was done, in the order of the schema. */
  readonly changes: readonly SchemaChange[]
}

/** Puts a schema with an object at its root, clean JSON Schema 2020-12, into the form that a profile takes. */
export function shapeSchema(root: ObjectSchema, profile: Profile): ShapedSchema {
  if (profile.refs) return { schema: root, changes: [] }
  const { $defs, ...body } = root
  const changes: SchemaChange[] = []
  const all: Shaping = {
    profile,
    definitions: isSource($defs) ? $defs : {},
    careful: JSON.stringify(root).includes('"unevaluatedItems"'),
    changes,
    left: { nodes: MAX_NODES, enumValues: profile.enumValues },
  }
  const { schema, restore } = shapeAt(all, body, { path: "", depth: 0, around: new Map() })
  return {
    schema: deepFreeze({ ...schema, type: "object" as const, properties: schema["properties"] ?? {} }),
    restore,
    changes,
  }
}

/** How large a schema may get when what it refers to stands in it; beyond, references end in words. */
const MAX_NODES = 2_000

interface Shaping {
  readonly profile: Profile
  readonly definitions: SchemaSource
  readonly careful: boolean
  readonly changes: SchemaChange[]
  readonly left: { nodes: number; enumValues: number }
}

interface Place {
  readonly path: string
  readonly depth: number
  /** How often each definition is around it. */
  readonly around: ReadonlyMap<string, number>
}

function shapeAt(all: Shaping, schema: Keywords, place: Place): Shape {
  const { profile, careful, definitions } = all
  all.left.nodes -= 1
  const note: Site["note"] = (how, keyword) => all.changes.push({ path: place.path, keyword, how })
  const inlined = inlineRef(schema, { definitions, around: place.around, ends: all.left.nodes < 0 })
  if (inlined.ends) note("unrolled", "$ref")
  const site: Site = {
    profile,
    root: place.path === "",
    careful,
    note,
    left: all.left,
    shape: (below, steps, levels = 0) =>
      shapeAt(all, below, {
        path: `${place.path}${steps.map(toStep).join("")}`,
        depth: place.depth + levels,
        around: inlined.around,
      }),
  }
  const shape = shapeNode(inlined.schema, site, place.depth >= profile.depth)
  return inlined.ends ? { ...shape, exact: false } : shape
}

/** A step of a JSON Pointer (RFC 6901). */
function toStep(step: string): string {
  return `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`
}
