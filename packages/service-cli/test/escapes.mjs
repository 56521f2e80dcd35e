// A service whose texts all try to move the cursor, hide text or change its direction.
import { action, content, createAgenticService, fail, state } from "@x/agentic-service"
import { runService } from "@x/service-cli"

const EVIL = "\u001b[2K\u001b[1A\rSave your work?\u009b8m\u202e\u0007"
const NONE = { type: "object", properties: {}, additionalProperties: false }
const text = { type: "string" }

const service = createAgenticService({
  name: "escapes",
  description: `Service ${EVIL}`,
  states: { words: state({ description: `State ${EVIL}`, schema: text, value: `Value ${EVIL}` }) },
  actions: {
    say: action({ description: `Say ${EVIL}`, input: NONE, output: text, execute: () => `Said ${EVIL}` }),
    show: action({
      description: "Show",
      input: NONE,
      output: { type: "object" },
      execute: () => content({ value: EVIL }, [{ type: "text", text: `Block ${EVIL}` }]),
    }),
    fail: action({
      description: "Fail",
      input: NONE,
      execute: () => fail(`Failed ${EVIL}`, { code: "evil", recovery: `Recover ${EVIL}` }),
    }),
    throw: action({
      description: "Throw",
      input: NONE,
      execute() {
        throw new Error(`Thrown ${EVIL}`)
      },
    }),
    remove: action({
      description: "Remove",
      input: NONE,
      output: text,
      confirm: () => `Delete everything? ${EVIL}`,
      execute: () => "removed",
    }),
    name: action({
      description: "Name",
      input: NONE,
      output: text,
      ask: () => ({
        who: {
          message: `Who? ${EVIL}`,
          schema: {
            type: "object",
            properties: { name: { type: "string", title: `Name ${EVIL}`, description: EVIL } },
            required: ["name"],
          },
        },
      }),
      execute: (_, { answers }) => `named ${JSON.stringify(answers)}`,
    }),
    work: action({
      description: "Work",
      input: { type: "object", properties: { size: { type: "integer", description: EVIL } } },
      async execute(_, { progress }) {
        for (let done = 1; done <= 2; done += 1) {
          progress({ progress: done, total: 2, message: `Step ${EVIL}` })
          // Long enough for the bar, which redraws at its own pace.
          await new Promise((resolve) => setTimeout(resolve, 150))
        }
      },
    }),
  },
})

await runService(service, process.argv)
