import type { AuthoredJsonSchema } from "@x/agentic-service"
import { toBase64 } from "@x/base"
import type { Gathered, Hears, InsideMessage, MediaPiece } from "../answer.js"
import type { ChatMessage } from "../chat-options.js"
import type { ChatForm } from "./chat-form.js"
import { chatComponents, chatRequestSchema, clientOutput, conversationProperty } from "./schemas.js"

/** neuro-san's form, with the answer's value for clients that keep the conversation. */
interface NeuroSanForm extends ChatForm {
  /** See {@link AgentForm.output}. */
  readonly output: AuthoredJsonSchema
  /** See {@link AgentForm.structured}. */
  readonly structured: true
  /** Returns the answer's text and the new context. */
  toValue(answer: Gathered, turn: NeuroSanTurn): { readonly text: string; readonly chat_context: NeuroSanContext }
}

/** An answer's call. */
interface NeuroSanTurn {
  /** The input, as received. */
  readonly input: unknown
  /** The events inside before the answer. */
  readonly inside: readonly InsideMessage[]
}

/**
 * Creates the form `{ user_message, chat_context?, chat_filter?, sly_data? }` of neuro-san's OpenAPI document.
 *
 * @param name - The agent's name in the origins of histories.
 */
export function createNeuroSanForm(kept: boolean, name: string): NeuroSanForm {
  const properties = { ...chatRequestSchema.properties, ...(kept && conversationProperty) }
  const schema = {
    components: { schemas: { ...chatComponents, ChatRequest: { ...chatRequestSchema, properties } } },
    $ref: "#/components/schemas/ChatRequest",
  }
  return {
    schema,
    output: clientOutput,
    structured: true,
    read(input) {
      const { user_message, chat_context, chat_filter, sly_data, conversation } = input as NeuroSanInput // checked above
      const question: ChatMessage = { role: "user", content: user_message.text ?? "" }
      const filter = chat_filter?.chat_filter_type
      return {
        request: {
          messages: [...saidIn(ownHistory(chat_context, name)), question],
          media: toMedia(user_message),
          slyData: { ...user_message.sly_data, ...sly_data },
          ...(user_message.structure && { structure: user_message.structure }),
          ...(chat_context && { chatContext: withoutSlyData(chat_context) }),
          ...(filter !== undefined && { chatFilter: filter }),
        },
        handle: conversation,
        hears: HEARS.get(filter) ?? "text",
      }
    },
    toValue: (answer, { input, inside }) => ({
      text: answer.text,
      chat_context: toContext(name, input as NeuroSanInput, [...inside.flatMap(toMessages(name)), toAi(name, answer)]), // read above
    }),
  }
}

interface NeuroSanInput {
  readonly user_message: NeuroSanMessage
  readonly chat_context?: NeuroSanContext
  readonly chat_filter?: { readonly chat_filter_type?: string }
  readonly sly_data?: Readonly<Record<string, unknown>>
  readonly conversation?: string
}

const HEARS: ReadonlyMap<string | undefined, Hears> = new Map([
  ["MINIMAL", "nothing"],
  ["MAXIMAL", "all"],
])

function toMedia({ mime_data = [] }: NeuroSanMessage): readonly MediaPiece[] {
  return mime_data.map(({ mime_type = "application/octet-stream", mime_bytes = "" }) => ({
    type: "media",
    mimeType: mime_type,
    data: mime_bytes,
  }))
}

/** neuro-san's `chat_context`: histories by origin. A `type`, because interfaces are not assignable to records. */
type NeuroSanContext = {
  /** One history per participating agent. */
  readonly chat_histories?: readonly NeuroSanHistory[]
}

/** The messages of one agent. */
type NeuroSanHistory = {
  /** The agent, as a path through the network. */
  readonly origin?: readonly Origin[]
  /** The messages, oldest first. */
  readonly messages?: readonly NeuroSanMessage[]
}

/** A step of a path through the network. */
type Origin = { readonly tool?: string; readonly instantiation_index?: number }

/** A neuro-san message. Unknown fields are returned unchanged. */
type NeuroSanMessage = {
  /** Such as `HUMAN` and `AI`; other types are messages between agents. */
  readonly type?: string
  /** The text. */
  readonly text?: string
  /** The attached media. */
  readonly mime_data?: readonly { readonly mime_type?: string; readonly mime_bytes?: string }[]
  /** The content as data. */
  readonly structure?: Readonly<Record<string, unknown>>
  /** The sender. */
  readonly origin?: readonly Origin[]
  /** The tool behind a tool's result. */
  readonly tool_result_origin?: readonly Origin[]
  /** Data for tools, not for models. */
  readonly sly_data?: Readonly<Record<string, unknown>>
}

/** Returns the history between the user and an agent from a client's context: the one with its name, or without a name. */
function ownHistory(context: NeuroSanContext | undefined, name: string): NeuroSanHistory | undefined {
  const histories = context?.chat_histories ?? []
  return (
    histories.find(({ origin = [] }) => origin.length === 1 && origin[0]?.tool === name) ??
    histories.find(({ origin = [] }) => origin.length === 0)
  )
}

/** Returns the messages between user and agent in a history. */
function saidIn(history: NeuroSanHistory | undefined): readonly ChatMessage[] {
  return (history?.messages ?? []).flatMap(({ type, text = "" }) => {
    const role = ROLES.get(type)
    return role === undefined ? [] : [{ role, content: text }]
  })
}

const ROLES: ReadonlyMap<string | undefined, ChatMessage["role"]> = new Map([
  ["HUMAN", "user"],
  ["AI", "assistant"],
])

/** Returns the context after a turn: the received one without sly data, plus the turn's messages. */
function toContext(
  name: string,
  { chat_context = {}, user_message }: NeuroSanInput,
  answered: readonly NeuroSanMessage[],
): NeuroSanContext {
  const before = ownHistory(chat_context, name)
  const others = (chat_context.chat_histories ?? []).filter((history) => history !== before)
  // The user's message gets the type HUMAN, whatever type it declares.
  const asked = { ...user_message, type: "HUMAN" }
  const own = { ...before, origin: toOrigin(name), messages: [...(before?.messages ?? []), asked, ...answered] }
  return withoutSlyData({ ...chat_context, chat_histories: [own, ...others] })
}

function toAi(name: string, { text, extras, structure }: Gathered): NeuroSanMessage {
  const media = extras.flatMap((extra) => (extra.type === "media" ? [extra] : []))
  const mime_data = media.map(({ mimeType, data }) => ({
    mime_type: mimeType,
    mime_bytes: typeof data === "string" ? data : toBase64(data),
  }))
  return {
    type: "AI",
    text,
    origin: toOrigin(name),
    ...(mime_data.length > 0 && { mime_data }),
    ...(structure && { structure }),
  }
}

/** Converts events inside to neuro-san messages. Progress is dropped, because it is over once there is an answer. */
function toMessages(name: string): (message: InsideMessage) => readonly NeuroSanMessage[] {
  return ({ kind, text, structure, from }) => {
    const type = TYPES.get(kind)
    if (type === undefined) return []
    const origin = [...toOrigin(name), ...(from === undefined ? [] : toOrigin(from))]
    return [
      {
        type,
        origin,
        ...(kind === "tool-result" && { tool_result_origin: origin }),
        ...(text !== undefined && { text }),
        ...(structure && { structure }),
      },
    ]
  }
}

const TYPES: ReadonlyMap<InsideMessage["kind"], string> = new Map([
  ["system", "SYSTEM"],
  ["agent", "AGENT"],
  ["framework", "AGENT_FRAMEWORK"],
  ["tool-result", "AGENT_TOOL_RESULT"],
])

function toOrigin(tool: string): readonly Origin[] {
  return [{ tool, instantiation_index: 0 }]
}

/** Returns a copy of a context without data that no model may see. */
function withoutSlyData(context: NeuroSanContext): NeuroSanContext {
  // `JSON.stringify` visits every level, and the schema allows unknown members.
  return JSON.parse(JSON.stringify(context, (key, value: unknown) => (key === "sly_data" ? undefined : value)))
}
