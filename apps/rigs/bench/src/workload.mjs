// What every server offers: so many tools of about 380 bytes, of which one comes and goes; one that echoes, one with schemas of
// its input and its output, one that reads a board of 12 kB as text, and that board as a resource.

/** How many bytes the board has as JSON, about. */
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

/** Where the board is read; ours is asked for its own URI. */
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

/** Sorted as they are numbered. */
function toolName(index) {
  return `tool_${String(index).padStart(5, "0")}`
}

/** The tool that comes and goes; beside the others in the middle of the list. */
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

/** What `add` answers. */
export function addCard({ title, count }) {
  return { id: `card-${title.length}`, total: count + 1 }
}

/** Everything a low-level server lists, sorted by name. */
export function allTools(count) {
  const toggled = { ...listedTools(1)[0], name: TOGGLED }
  const always = [add, echo, readBoard, ...listedTools(count)]
  return { with: [...always, toggled].sort(byName), without: always.sort(byName) }
}

function byName(one, other) {
  return one.name < other.name ? -1 : 1
}
