/** What a person typed, as a value of a field's type: what is no number stays text, for the check to refuse. */
export function readAnswer(schema: Readonly<Record<string, unknown>>, typed: string): unknown {
  const { type } = schema
  if (type !== "number" && type !== "integer") return typed
  const number = Number(typed)
  return typed.trim() === "" || Number.isNaN(number) ? typed : number
}
