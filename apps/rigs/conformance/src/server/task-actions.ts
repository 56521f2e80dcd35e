import { setTimeout as wait } from "node:timers/promises"
import {
  type Action,
  type ActionDeclaration,
  type AgenticService,
  action,
  content,
  type ExecuteContext,
  fail,
  type LinkDeclaration,
  link,
  type Outcome,
  type Questions,
} from "@x/agentic-service"
import { createFedService, type Feed } from "@x/agentic-service/adapter"
import { type MethodExtension, ProtocolError } from "@x/mcp-adapter"
import { NEVER } from "rxjs"

const Named = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const

/** Actions whose calls become tasks, and one whose calls do not. */
export const taskActions: Readonly<Record<string, ActionDeclaration>> = {
  greet: action({ description: "Greets", readOnly: true, input: Named, execute: ({ name }) => say(`Hello, ${name}!`) }),
  slow_compute: action({
    description: "Takes as many seconds as it is told to",
    readOnly: true,
    long: true,
    input: { type: "object", properties: { seconds: { type: "number" } }, required: ["seconds"] } as const,
    async execute({ seconds }, { signal }) {
      await wait(seconds * 1_000, undefined, { signal })
      return say(`Computed for ${seconds} seconds`)
    },
  }),
  failing_job: action({
    description: "Fails after a second",
    readOnly: true,
    long: true,
    async execute(_, { signal }) {
      await wait(1_000, undefined, { signal })
      return fail("This job always fails")
    },
  }),
  test_tool_with_task: action({
    description: "Asks for a name before it runs",
    readOnly: true,
    long: true,
    ask: () => ({ user_name: { message: "What is your name?", schema: Named } }),
    async execute(_, { answers, signal }) {
      await wait(100, undefined, { signal })
      return say(`Hello, ${JSON.stringify(answers["user_name"])}!`)
    },
  }),
}

/** Links to a service whose actions ask while they run, or end with an error of the protocol, as foreign ones do. */
export const taskLinks: Readonly<Record<string, LinkDeclaration>> = {
  foreign: link({ description: "Actions as another server's", service: createForeign() }),
}

const TASKS = "io.modelcontextprotocol/tasks"

/** Lets only clients that take tasks call `failing_job`, as a server does that cannot run it otherwise. */
export function requireTasks(
  methods: Readonly<Record<string, MethodExtension>>,
): Readonly<Record<string, MethodExtension>> {
  const call: MethodExtension = (own, site) => {
    const inner = methods["tools/call"]?.(own, site) ?? own
    return async (params, context) => {
      const { extensions } = context.clientCapabilities
      if (params["name"] === "failing_job" && !Object.hasOwn(Object(extensions), TASKS)) {
        const requiredCapabilities = { extensions: { [TASKS]: {} } }
        throw new ProtocolError(-32_021, "it only runs as a task", { data: { requiredCapabilities } })
      }
      return inner(params, context)
    }
  }
  return { ...methods, "tools/call": call }
}

function createForeign(): AgenticService {
  const yes = { type: "object", properties: { confirm: { type: "boolean" } } }
  const actions: ReadonlyMap<string, Action> = new Map([
    [
      "confirm_delete",
      toAction("confirm_delete", () => asking({ confirm: { message: "Delete the file?", schema: yes } })),
    ],
    [
      "multi_input",
      toAction("multi_input", () =>
        asking({
          first: { message: "Who is the first?", schema: { ...Named, required: [] } },
          second: { message: "Who is the second?", schema: { ...Named, required: [] } },
        }),
      ),
    ],
    [
      "protocol_error_job",
      toAction("protocol_error_job", async () => ({
        ok: false,
        message: "This job ends with an error of the protocol",
        refusal: { code: -32_603 },
      })),
    ],
  ])
  const none = { connect: () => () => undefined, spoken: () => true, find: () => undefined, keys: () => [] }
  const feed: Feed<Action> = { ...none, find: (key) => actions.get(key), keys: () => actions.keys() }
  const declared = { states: {}, actions: {}, links: {} }
  return createFedService({ name: "foreign", states: none, actions: feed, links: none, declared, failures: NEVER })
}

function toAction(toolName: string, execute: Action["execute"]): Action {
  return {
    description: `Is ${toolName}`,
    toolName,
    long: true,
    schema: { type: "object", properties: { filename: { type: "string" } } },
    hints: { readOnly: true },
    check: (input) => ({ ok: true, input }),
    execute,
  }
}

async function asking(questions: Questions): ReturnType<Action["execute"]> {
  return {
    ok: "ask",
    questions,
    async resume(answers: unknown, _: ExecuteContext): Promise<Outcome> {
      return { ok: true, content: [{ type: "text", text: `The answer was ${JSON.stringify(answers)}` }] }
    },
  }
}

function say(text: string) {
  return content(undefined, [{ type: "text", text }])
}
