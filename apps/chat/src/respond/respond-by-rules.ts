import type { Respond, RespondContext } from "@x/chat-service"

/** Answers without a model, by the first matching rule. */
export const respondByRules: Respond<RespondContext> = async function* ({ text, messages }) {
  const [, answer] = RULES.find(([pattern]) => pattern.test(text)) ?? []
  const whole = answer?.(messages.length) ?? "I only know a few words: say hello, or ask what I can do."
  // One word at a time, like a model.
  yield* whole.split(/(?<= )/)
}

type Rule = readonly [pattern: RegExp, answer: (messages: number) => string]

const RULES: readonly Rule[] = [
  [/\b(hello|hi|hails?)\b/i, (messages) => (messages > 1 ? "Hello again." : "Hails there.")],
  [/capital of france/i, () => "The capital of France is Paris."],
  [/what (can|do) you/i, () => "I answer by rules. With OPENAI_BASE_URL set, a model answers instead of me."],
  [/\b(bye|goodbye)\b/i, () => "Farewell."],
]
