// The tools and the resource that every server offers: a number of tools of about 380 bytes, a tool that comes and goes, an
// echo, a tool with input and output schemas, a tool that returns a board of 12 kB as text, and that board as a resource.

/** Approximate size of the board as JSON, in bytes. */
export const BOARD_BYTES = 12_000

/** The board. */
export const board = { cards: Array.from({ length: 94 }, (_, index) => createCard(index)) }

function createCard(index) {
  return {
    id: `c${index}`,
    title: `Card ${index} of the board, as people write them`,
    column: "doing",
    done: index % 2 === 0,
    at: index * 1_000,
  }
}

/** The URI of the board. Our own server has another one, which it reports. */
export const BOARD_URI = "bench://board"

/** The tools that are listed and never called. */
export function listedTools(count) {
  return Array.from({ length: count }, (_, index) => ({
    name: toolName(index),
    description: `Does what number ${index} of the application does, in the words that authors use for such things`,
    inputSchema: {
      type: "object",
      properties: {
        title: { type: "string", description: "What it is called" },
        count: { type: "integer", minimum: 0 },
        urgent: { type: "boolean", description: "Whether it has to be soon" },
      },
      required: ["title"],
      additionalProperties: false,
    },
  }))
}

/** Returns a name with leading zeros, so that names sort by number. */
function toolName(index) {
  return `tool_${String(index).padStart(5, "0")}`
}

/** The tool that comes and goes. It sorts among the other tools, not at an end of the list. */
export const TOGGLED = "tool_00001_more"

export const echo = {
  name: "echo",
  description: "Says what it is told",
  inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
}

export const add = {
  name: "add",
  description: "Adds a card",
  inputSchema: {
    type: "object",
    properties: {
      title: { type: "string", maxLength: 100 },
      count: { type: "integer", minimum: 0, maximum: 1_000 },
      labels: { type: "array", items: { type: "string" } },
    },
    required: ["title", "count"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: { id: { type: "string" }, total: { type: "integer" } },
    required: ["id", "total"],
    additionalProperties: false,
  },
}

export const readBoard = {
  name: "read_board",
  description: "Reads the board",
  inputSchema: { type: "object", properties: {} },
}

/** Returns the result of `add`. */
export function addCard({ title, count }) {
  return { id: `card-${title.length}`, total: count + 1 }
}

/** Returns all tools that a low-level server lists, sorted by name. */
export function allTools(count) {
  const toggled = { ...listedTools(1)[0], name: TOGGLED }
  const always = [add, echo, readBoard, ...listedTools(count)]
  return { with: [...always, toggled].sort(byName), without: always.sort(byName) }
}

function byName(one, other) {
  return one.name < other.name ? -1 : 1
}
