// A board for tests, run as a command. Environment variables set what flags cannot.
import { action, createAgenticService, fail, link, links, state } from "@x/agentic-service"
import { runService } from "@x/service-cli"
import { BehaviorSubject, map } from "rxjs"

const cards$ = new BehaviorSubject(["Write", "Read"])
const columns$ = new BehaviorSubject([{ id: "todo" }, { id: "$(touch x)" }])
const text = { type: "string" }

// A command ends even if a timer is still running.
setInterval(() => {}, 1_000)

process.on("SIGUSR2", () => cards$.next([...cards$.value, "Rest"]))

const column = ({ id }) =>
  createAgenticService({
    name: id,
    states: { title: state({ schema: text, value: id }) },
    actions: {
      rename: action({
        description: "Rename the column",
        input: { type: "object", properties: { title: text }, required: ["title"], additionalProperties: false },
        output: text,
        execute: ({ title }) => `${id} is ${title}`,
      }),
    },
  })

const board = createAgenticService({
  name: "board",
  description: "A board of cards",
  states: {
    cards: state({ description: "All cards", schema: { type: "array", items: text }, value: cards$ }),
    count: state({ schema: { type: "integer" }, value: cards$.pipe(map((cards) => cards.length)) }),
  },
  actions: {
    add: action({
      description: "Add a card",
      input: {
        type: "object",
        properties: {
          title: { type: "string", minLength: 1, description: "What it says" },
          column: { type: "string", enum: ["todo", "doing", "done"], default: "todo" },
          points: { type: "integer" },
          tags: { type: "array", items: text },
          urgent: { type: "boolean" },
          owner: { type: "object", properties: { name: text }, required: ["name"] },
          estimate: { type: ["number", "null"] },
          log: text,
        },
        required: ["title"],
        additionalProperties: false,
      },
      execute(card) {
        cards$.next([...cards$.value, card.title])
        return card
      },
    }),
    archive: action({
      description: "Put finished cards away",
      when: { is: cards$.pipe(map((cards) => cards.length > 5)), otherwise: "no card is finished" },
      execute: () => "archived",
    }),
    clear: action({
      description: "Delete every card",
      destructive: true,
      confirm: () => "Delete 2 cards?",
      execute: () => "gone",
    }),
    crash: action({
      description: "Throw",
      execute() {
        throw new Error("the disk is full")
      },
    }),
    lose: action({
      description: "Fail",
      execute: () => fail("nothing to lose", { code: "nothing", recovery: "gain" }),
    }),
    note: action({
      description: "Keep a note",
      input: { type: "object", properties: { context: text, loud: { type: "boolean" } } },
      output: text,
      execute: ({ context = "nothing", loud = false }) => (loud ? context.toUpperCase() : context),
    }),
    say: action({ description: "Say it", input: text, output: text, execute: (said) => said }),
    survey: action({
      description: "Ask",
      ask: () => ({ mood: { message: "How is it?", schema: { type: "object", properties: { mood: text } } } }),
      execute: (_, { answers }) => answers.mood,
    }),
    wait: action({
      description: "Wait to be stopped",
      execute: (_, { signal, progress }) => {
        progress({ progress: 1, total: 2, message: "waiting" })
        process.stderr.write("waiting\n")
        return new Promise((resolve) => signal.addEventListener("abort", () => resolve(fail("stopped"))))
      },
    }),
  },
  links: {
    columns: links({ of: columns$, key: ({ id }) => id, service: column }),
    help: link({
      service: createAgenticService({
        name: "help",
        actions: { read: action({ description: "Read", execute: () => "text" }) },
      }),
    }),
  },
})

await runService(board, process.argv, {
  version: "1.2.3",
  mcpSupported: process.env.NO_MCP === undefined,
  maxInputBytes: 100_000,
  http: { port: 0 },
  onExit: () => void process.stderr.write(process.env.SAY_BYE ? "bye\n" : ""),
})
