/** A JSON Schema whose root is an object. */
export type ObjectSchema = {
  /** Always an object. */
  readonly type: "object"
  /** Any other 2020-12 keyword. */
  readonly [keyword: string]: unknown
}
