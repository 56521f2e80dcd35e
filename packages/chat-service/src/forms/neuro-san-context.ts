import type { ChatMessage } from "../chat-request.js"

/** neuro-san's `chat_context`: histories by where they come from. A `type` so that it passes as a record. */
export type NeuroSanContext = {
  /** One for each agent that took part. */
  readonly chat_histories?: readonly NeuroSanHistory[]
}

/** What one agent has heard and said. */
export type NeuroSanHistory = {
  /** Which agent, as a path through the network. */
  readonly origin?: readonly { readonly tool?: string; readonly instantiation_index?: number }[]
  /** The messages, oldest first. */
  readonly messages?: readonly NeuroSanMessage[]
}

/** One of neuro-san's messages. */
export type NeuroSanMessage = {
  /** Such as `HUMAN` and `AI`; the other types are between agents. */
  readonly type?: string
  /** What it says. */
  readonly text?: string
  /** What comes beside the text. */
  readonly mime_data?: readonly { readonly mime_type?: string; readonly mime_bytes?: string }[]
  /** Data for tools, not for models. */
  readonly sly_data?: Readonly<Record<string, unknown>>
  /** A context of its own. */
  readonly chat_context?: NeuroSanContext
}

/** What the user and an agent have said to each other, by a client's context. */
export function historyOf(context: NeuroSanContext | undefined, name: string): readonly ChatMessage[] {
  const histories = context?.chat_histories ?? []
  const own =
    histories.find((history) => isOf(history, name)) ?? histories.find(({ origin = [] }) => origin.length === 0)
  return (own?.messages ?? []).flatMap(({ type, text = "" }) => {
    const role = ROLES.get(type)
    return role === undefined ? [] : [{ role, content: text }]
  })
}

/** The context after a turn, for the client to hand back: this agent's history, and those of others as they came. */
export function toContext(
  before: Readonly<Record<string, unknown>> | undefined,
  name: string,
  messages: readonly ChatMessage[],
): NeuroSanContext {
  const { chat_histories = [] }: NeuroSanContext = before ?? {}
  const others = chat_histories.filter((history) => !isOf(history, name) && (history.origin ?? []).length > 0)
  const own: NeuroSanHistory = {
    origin: [{ tool: name, instantiation_index: 0 }],
    messages: messages.map(({ role, content }) => ({ type: role === "user" ? "HUMAN" : "AI", text: content })),
  }
  return { chat_histories: [own, ...others] }
}

/** A context as it came, but without anything that no model is to see. */
export function withoutSlyData(context: NeuroSanContext): NeuroSanContext {
  // `JSON.stringify` visits whatever is in it, however deep: the schema lets members pass that it does not name.
  return JSON.parse(JSON.stringify(context, (key, value: unknown) => (key === "sly_data" ? undefined : value)))
}

const ROLES: ReadonlyMap<string | undefined, ChatMessage["role"]> = new Map([
  ["HUMAN", "user"],
  ["AI", "assistant"],
])

function isOf({ origin = [] }: NeuroSanHistory, name: string): boolean {
  return origin.length === 1 && origin[0]?.tool === name
}
