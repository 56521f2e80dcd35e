// Measures publishing 5,000 distinct tools beside copying and serialising the same schemas with `structuredClone` and
// `JSON.stringify`. Compares CPU time of both as a ratio, so that a slow or busy machine matters little.
import { publish } from "@x/tool-schemas"

const RUNS = 5
const TOOLS = 5_000
/** Half of the former ratios, when each keyword passed through a chain of `Object.entries`: 24, 12 and 30. */
const LIMITS = { portable: 12, verbatim: 6, "openai-strict": 15 }

for (const [profile, limit] of Object.entries(LIMITS)) {
  measure(profile, 300)
  const ratios = Array.from({ length: RUNS }, () => measure(profile, TOOLS)).sort((one, other) => one - other)
  const median = ratios[Math.floor(RUNS / 2)]
  console.log(
    `${profile}: ${median.toFixed(1)} times a copy (${ratios[0].toFixed(1)} to ${ratios.at(-1).toFixed(1)}), limit ${limit}`,
  )
  if (median > limit) process.exitCode = 1
}

function measure(profile, count) {
  const [published, copied] = [createTools(count), createTools(count)]
  const copying = cpuOf(() => {
    for (const schema of copied) JSON.stringify(structuredClone(schema))
  })
  const publishing = cpuOf(() => {
    for (const schema of published) publish(schema, { profile })
  })
  return publishing / copying
}

function cpuOf(work) {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

function createTools(count) {
  return Array.from({ length: count }, (_, index) => ({
    type: "object",
    title: `Order ${index}`,
    properties: {
      id: { type: "string", format: "uuid", description: `The order's id, of shop ${index}` },
      size: { type: "string", enum: ["small", "medium", `large-${index}`], description: "How large" },
      count: { type: "integer", minimum: 1, maximum: index + 10, default: 1 },
      note: { anyOf: [{ type: "string", maxLength: 80 }, { type: "null" }], default: null },
      tags: { type: "array", items: { type: "string", minLength: 1 }, maxItems: 20, uniqueItems: true },
      address: { $ref: "#/$defs/address" },
      lines: {
        type: "array",
        items: {
          type: "object",
          properties: {
            sku: { type: "string", pattern: "^[A-Z]{3}-[0-9]+$" },
            price: { type: "number", exclusiveMinimum: 0 },
            gift: { type: "boolean" },
          },
          required: ["sku", "price"],
          additionalProperties: false,
        },
      },
      extras: { type: "object", additionalProperties: { type: "integer" } },
    },
    required: ["id", "size", "lines"],
    additionalProperties: false,
    $defs: {
      address: {
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" }, zip: { type: ["string", "null"] } },
        required: ["street", "city"],
      },
    },
  }))
}
