import { action, content, createAgenticService, fail, links, state } from "@x/agentic-service"
import { createMcpAdapter } from "@x/mcp-adapter"
import { serveHttp } from "@x/mcp-adapter/http"
import { BehaviorSubject } from "rxjs"

class Point {
  x = 1
  y = 2
}

/** The kinds of results: `make` creates one, and `holds` is the text that a model must read, if any. */
export const RESULTS = {
  undefined: { make: () => undefined },
  null: { make: () => null, holds: "null" },
  boolean: { make: () => true, holds: "true" },
  number: { make: () => 56, holds: "56" },
  bigint: { make: () => 9007199254740993n, holds: "9007199254740993" },
  string: { make: () => "plain words", holds: "plain words" },
  empty: { make: () => "" },
  blank: { make: () => " \n " },
  digits: { make: () => "56", holds: "56" },
  brackets: { make: () => "[1,2]", holds: "2]" },
  array: { make: () => [11, 22], holds: "22" },
  object: { make: () => ({ name: "Ada" }), holds: "Ada" },
  bytes: { make: () => Uint8Array.of(1, 2, 3), holds: "AQID" },
  date: { make: () => new Date(0), holds: "1970-01-01" },
  map: { make: () => new Map([["key", "mapped"]]), holds: "mapped" },
  instance: { make: () => new Point(), holds: "2" },
  // A returned error counts as thrown.
  error: { make: () => new Error("returned, not thrown"), holds: "action failed", fails: true },
  surrogate: { make: () => "half \ud83d of one", holds: "of one" },
  image: { make: () => content(undefined, [{ type: "image", data: PIXEL, mediaType: "image/png" }]) },
  long: { make: () => "long ".repeat(2_000_000), holds: "long long" },
  failure: { make: () => fail("the shelf is full", { code: "full" }), holds: "the shelf is full", fails: true },
  thrown: {
    make: () => {
      throw new Error("a secret")
    },
    holds: "action failed",
    fails: true,
  },
}

const PIXEL = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
  (character) => character.charCodeAt(0),
)

/** The items of the app's one collection: in the exposure `grouped`, their actions are one tool. */
const SHELVES = ["blue", "red"]

/**
 * Creates an app that returns results of every kind. `erased` returns how often the action ran that asks a person first.
 *
 * @param more - Further actions.
 */
export function createApp(more = {}) {
  const grown$ = new BehaviorSubject(false)
  let erased = 0
  const input = {
    type: "object",
    properties: { kind: { type: "string", enum: Object.keys(RESULTS) } },
    required: ["kind"],
    additionalProperties: false,
  }
  const execute = ({ kind }) => RESULTS[kind].make()
  const app = createAgenticService({
    name: "app",
    description: "Returns results of every kind",
    states: {
      grown: state({ description: "Whether `grow` was called", schema: { type: "boolean" }, value: grown$ }),
    },
    actions: {
      ...more,
      give: action({
        description: "Returns a result of the given kind",
        input,
        execute,
      }),
      tell: action({
        description: "Returns a result of the given kind, with an output schema",
        input,
        output: {},
        execute,
      }),
      grow: action({ description: "Makes the action bloom appear", execute: () => grown$.next(true) }),
      bloom: action({ description: "Blooms", when: grown$, execute: () => ({ petals: 5 }) }),
      erase: action({
        description: "Erases everything",
        destructive: true,
        confirm: () => "Erase everything?",
        execute: () => {
          erased += 1
          return { erased }
        },
      }),
    },
    links: { shelves: links({ description: "One per shelf", of: SHELVES, key: (key) => key, service: createShelf }) },
  })
  return { app, erased: () => erased }
}

function createShelf(key) {
  const input = { type: "object", properties: { text: { type: "string" } }, required: ["text"] }
  return createAgenticService({
    name: "shelf",
    actions: {
      label: action({
        description: "Labels this shelf",
        input,
        execute: ({ text }) => ({ labelled: `${key}: ${text}` }),
      }),
    },
  })
}

/** Serves the app over HTTP, by default on a free port. */
export async function serveApp({ port = 0, actions, ...options } = {}) {
  const { app, erased } = createApp(actions)
  const adapter = createMcpAdapter(app)
  const server = await serveHttp(adapter, { port, ...options })
  return {
    url: server.url,
    erased,
    async close() {
      await server.close()
      adapter.close()
    },
  }
}
