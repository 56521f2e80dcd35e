import type { Respond, RespondContext } from "@x/chat-service"

/** Answers without a model, so that there is something to talk to everywhere: the first rule that fits. */
export const respondByRules: Respond<RespondContext> = async function* ({ text, messages }) {
  const [, answer] = RULES.find(([pattern]) => pattern.test(text)) ?? []
  const whole = answer?.(messages.length) ?? "I only know a few words: say hello, or ask what I can do."
  // A word at a time, as a model would.
  yield* whole.split(/(?<= )/)
}

type Rule = readonly [pattern: RegExp, answer: (messages: number) => string]

const RULES: readonly Rule[] = [
  [/\b(hello|hi|hails?)\b/i, (messages) => (messages > 1 ? "Hello again." : "Hails there.")],
  [/capital of france/i, () => "The capital of France is Paris."],
  [/what (can|do) you/i, () => "I answer by rules. With OPENAI_BASE_URL set, a model answers in my place."],
  [/\b(bye|goodbye)\b/i, () => "Farewell."],
]
