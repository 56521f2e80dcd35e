import { type ActionDeclaration, type AgenticService, action, createAgenticService, state } from "@x/agentic-service"
import type { BehaviorSubject } from "rxjs"
import type { createGate } from "./gate.js"
import type { Kind } from "./steps.js"

/** A document's identity, which no name reveals. */
export interface Doc {
  readonly title: string
  /** The expected identity: equal for documents with the same author's id, else new for every service object. */
  readonly thing: string
  /** Whether the author gave it an id. */
  readonly hasId: boolean
  /** The edition of its actions' definitions. Odd ones ask before every action. */
  readonly edition: number
  /** A number that no other service object has. */
  readonly stamp: number
}

/** A run, as the application itself wrote it down. */
export interface Ran {
  readonly call: number
  readonly doc: Doc
  readonly kind: Kind
}

const INPUT = {
  type: "object",
  properties: { call: { type: "integer" } },
  required: ["call"],
} as const

/** Records and gates that all documents of a person share. */
export interface Parts {
  /** Whether questions leave out the document's title. */
  readonly vague: boolean
  readonly ran: Ran[]
  /** The document that worded the last question of each call. */
  readonly asking: Map<number, Doc>
  readonly gates: { readonly check: ReturnType<typeof createGate>; readonly run: ReturnType<typeof createGate> }
}

/** Creates a document. Documents of one edition have equal names and definitions. */
export function createDocument(
  doc: Doc,
  title: BehaviorSubject<string>,
  { vague, ran, asking, gates }: Parts,
): AgenticService {
  const words = `edition ${doc.edition}`
  const note = (kind: Kind, call: number): void => void ran.push({ call, doc, kind })
  const confirm = ({ call }: { readonly call: number }): string => {
    asking.set(call, doc)
    return vague ? `Do it, for call ${call}?` : `Do it to ${doc.title}, ${words}, for call ${call}?`
  }
  const asks = doc.edition % 2 === 0 ? {} : { confirm }
  const actions: Record<Kind, ActionDeclaration> = {
    wipe: action({ description: `Wipe, ${words}`, input: INPUT, ...asks, execute: ({ call }) => note("wipe", call) }),
    erase: action({
      description: `Erase, ${words}`,
      input: INPUT,
      confirm,
      execute: ({ call }) => note("erase", call),
    }),
    checked: action({
      description: `Check first, ${words}`,
      input: slowly(gates.check.wait),
      ...asks,
      execute: ({ call }) => note("checked", call),
    }),
    slow: action({
      description: `Take time, ${words}`,
      input: INPUT,
      ...asks,
      async execute({ call }, { progress }) {
        note("slow", call)
        progress({ progress: 1, message: `begun ${doc.title}, for call ${call}.` })
        await gates.run.wait(call)
        progress({ progress: 2, message: `ended ${doc.title}, for call ${call}.` })
      },
    }),
  }
  return createAgenticService({
    name: "document",
    ...(doc.hasId && { id: doc.thing }),
    states: {
      title: state({ description: "The title", schema: { type: "string" }, value: title }),
      stamp: state({ description: "The stamp", schema: { type: "integer" }, value: doc.stamp }),
    },
    actions,
  })
}

/** Creates a schema whose check waits. */
function slowly(wait: (call: number) => Promise<void>) {
  const validate = async (value: unknown) => {
    const { call } = Object(value)
    await wait(call)
    return { value: { call: Number(call) } }
  }
  return {
    "~standard": {
      version: 1 as const,
      vendor: "test",
      validate,
      jsonSchema: { input: () => INPUT, output: () => INPUT },
    },
  }
}
