import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import type { FromSchema, JSONSchema } from "json-schema-to-ts"

/**
 * A schema as an author writes it: JSON Schema, or a Standard Schema that exports JSON Schema
 * (zod 4 and arktype do; valibot does through its `toStandardJsonSchema()`).
 */
export type AnySchema = AuthoredJsonSchema | StandardSchema

/** JSON Schema written by an author. Misspelt types are errors; misspelt keywords are not. */
export type AuthoredJsonSchema = boolean | (Exclude<JSONSchema, boolean> & NoStandardSchema)

/** Tells a JSON Schema from a Standard Schema, which may have a `type` of its own. */
// An alias, because an interface would not pass where a schema of any keywords is wanted.
export type NoStandardSchema = {
  /** Only a Standard Schema has it. */
  readonly "~standard"?: never
}

/** A Standard Schema that also exports JSON Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** What the Standard Schema and Standard JSON Schema specifications ask for. */
  readonly "~standard": StandardSchemaV1.Props<Input, Output> & StandardJSONSchemaV1.Props<Input, Output>
}

/** What an action gets once its input is checked: for a Standard Schema, what its own check hands out. */
export type InputOf<Schema> =
  Schema extends StandardSchema<unknown, infer Value>
    ? Value
    : Schema extends JSONSchema
      ? FromSchema<Schema, InferOptions>
      : undefined

/** What an author may hand in where a value of a schema is wanted: what the schema's own check accepts. */
export type ValueOf<Schema> =
  Schema extends StandardSchema<infer Value, unknown>
    ? DeepReadonly<Value>
    : Schema extends JSONSchema
      ? DeepReadonly<FromSchema<Schema, InferOptions>>
      : never

/**
 * A value nobody writes to: arrays and objects readonly all the way down. That an open object may have any other property is
 * left out, for an `interface` says nothing of that and would not fit.
 */
export type DeepReadonly<Value> = Value extends
  | string
  | number
  | boolean
  | bigint
  | symbol
  | null
  | undefined
  | ((...input: never[]) => unknown)
  ? Value
  : Value extends readonly unknown[]
    ? { readonly [Index in keyof Value]: DeepReadonly<Value[Index]> }
    : {
        readonly [Key in keyof Value as string extends Key
          ? unknown extends Value[Key]
            ? never
            : Key
          : Key]: DeepReadonly<Value[Key]>
      }

/** How types are read from JSON Schema, in the words of `json-schema-to-ts`. */
export interface InferOptions {
  /** `not` narrows no type. */
  parseNotKeyword: false
  /** `if`, `then` and `else` narrow no type. */
  parseIfThenElseKeywords: false
  /** Nothing is filled in at run time, so a property with a default may be absent. */
  keepDefaultedPropertiesOptional: true
  /** Schemas refer to no others. */
  references: false
  /** Values are JSON. */
  deserialize: false
}
