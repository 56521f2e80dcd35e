import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec"
import type { FromSchema, JSONSchema } from "json-schema-to-ts"

/**
 * A schema as an author writes it: JSON Schema, or a Standard Schema that exports JSON Schema (zod 4 and arktype do; valibot
 * does through its `toStandardJsonSchema()`).
 */
export type AnySchema = AuthoredJsonSchema | StandardSchema

/**
 * The same as {@link AnySchema}, under the name that the compiler prints for a schema it cannot read: a schema in a constant of
 * its own needs `as const`, because TypeScript otherwise widens `"string"` to `string`.
 */
export type SchemaInlineOrAsConst = AuthoredJsonSchema | StandardSchema

/** JSON Schema written by an author. Misspelt types are errors; misspelt keywords are not. */
export type AuthoredJsonSchema = boolean | (Exclude<JSONSchema, boolean> & NoStandardSchema)

/** Distinguishes a JSON Schema from a Standard Schema, which may have its own `type`. */
// An alias, because an interface would not be assignable to a schema of any keywords.
export type NoStandardSchema = {
  /** A member of Standard Schemas only. */
  readonly "~standard"?: never
}

/** A Standard Schema that also exports JSON Schema. */
export interface StandardSchema<Input = unknown, Output = Input> {
  /** The properties of Standard Schema and Standard JSON Schema. */
  readonly "~standard": StandardSchemaV1.Props<Input, Output> & StandardJSONSchemaV1.Props<Input, Output>
}

/** The type of an action's checked input: for a Standard Schema, its own check's output. */
export type InputOf<Schema> =
  Schema extends StandardSchema<unknown, infer Value>
    ? Value
    : Schema extends JSONSchema
      ? Schema extends SaysWhatElse
        ? FromSchema<Schema, InferOptions>
        : NamedOf<FromSchema<Schema, InferOptions>>
      : undefined

/** A schema that itself says which other properties an object may have. */
export type SaysWhatElse =
  | {
      /** `true`, or the schema of all other properties. */
      readonly additionalProperties: true | object
    }
  | {
      /** The schemas of other properties, by patterns of their names. */
      readonly patternProperties: object
    }

/**
 * A value of which only the properties that its schema names can be read, so that a misspelt one does not compile. An object
 * without names keeps them all.
 */
export type NamedOf<Value> = unknown extends Value
  ? Value
  : Value extends Leaf
    ? Value
    : Value extends readonly unknown[]
      ? { [Index in keyof Value]: NamedOf<Value[Index]> }
      : [NameOf<Value>] extends [never]
        ? Value
        : { [Key in keyof Value as UnlessOpen<Value, Key>]: NamedOf<Value[Key]> }

/** The keys that a schema names. */
export type NameOf<Value> = keyof { [Key in keyof Value as string extends Key ? never : Key]: Value[Key] }

/** A key, except that of all other properties of an open object, of which nothing is known. */
export type UnlessOpen<Value, Key extends keyof Value> = string extends Key
  ? unknown extends Value[Key]
    ? never
    : Key
  : Key

/** A value without properties of its own. */
export type Leaf = string | number | boolean | bigint | symbol | null | undefined | ((...input: never[]) => unknown)

/** The type of a value that authors may give for a schema: the input of its own check. */
export type ValueOf<Schema> =
  Schema extends StandardSchema<infer Value, unknown>
    ? DeepReadonly<Value>
    : Schema extends JSONSchema
      ? DeepReadonly<FromSchema<Schema, InferOptions>>
      : never

/**
 * A deeply readonly value. The index signature of an open object is left out, because an `interface` has none and would not
 * fit.
 */
export type DeepReadonly<Value> = Value extends Leaf
  ? Value
  : Value extends readonly unknown[]
    ? { readonly [Index in keyof Value]: DeepReadonly<Value[Index]> }
    : { readonly [Key in keyof Value as UnlessOpen<Value, Key>]: DeepReadonly<Value[Key]> }

/** Options for reading types from JSON Schema, as in `json-schema-to-ts`. */
export interface InferOptions {
  /** `not` narrows no type. */
  parseNotKeyword: false
  /** The keywords `if`, `then` and `else` leave types unchanged. */
  parseIfThenElseKeywords: false
  /** No defaults are filled in at run time, so a property with a default may be absent. */
  keepDefaultedPropertiesOptional: true
  /** Schemas do not refer to others. */
  references: false
  /** Values are JSON. */
  deserialize: false
}
