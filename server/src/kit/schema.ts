// The pieces that wire schemas are made of; they are JSON Schema, so they are also the OpenAPI text.
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import { Type } from './schemaBuilder.ts'

/** ISO 8601 UTC with milliseconds. A `Date` from the database becomes exactly that when the answer is written as JSON. */
export const Time = Type.Unsafe<Date | string>({
  type: 'string',
  format: 'date-time',
  examples: ['2026-07-18T09:30:00.000Z'],
})

export const Id = Type.String({ format: 'uuid', examples: ['01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f'] })

/** Any ISO 8601 instant that a caller gives (instant.ts says which spellings). */
export const instant = (description: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-07-18T09:30:00Z'] })

/** A URL that a caller gives; the length of each is bounded. */
export const url = (description: string, examples?: string[]) =>
  Type.String({ format: 'uri', maxLength: 2048, description, ...(examples && { examples }) })

export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** A closed set of words. */
export const oneOf = <const T extends readonly string[]>(values: T, options: object = {}) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

const names = new WeakMap<object, string>()

/** Gives a schema the name under which it stands in the OpenAPI document's components. */
export function named<T extends TSchema>(name: string, schema: T): T {
  names.set(schema, name)
  return schema
}

export const nameOf = (schema: object): string | undefined => names.get(schema)

/** One record as every operation wraps it: `{"member": {…}, "member_id": "…"}`. */
export function wrapped<const Name extends string, const IdName extends string, T extends TSchema>(
  name: Name,
  idName: IdName,
  schema: T,
): TObject<{ [N in Name]: T } & { [N in IdName]: typeof Id }> {
  const properties: TProperties = { [name]: schema, [idName]: Id }
  return Type.Object(properties) as unknown as TObject<{ [N in Name]: T } & { [N in IdName]: typeof Id }>
}

export const Success = Type.Object({ success: Type.Literal(true) })

export type { Static, TObject, TProperties, TSchema }
export { Type }
