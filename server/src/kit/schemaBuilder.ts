// The functions that schemas are declared with: those of TypeBox that we use, with its types and without its code.
//
// TypeBox's own builder loads 370 modules, which took 0.16 s of every start; ours are these few. What they make is plain JSON Schema.
import type * as TypeBox from 'typebox'

type Used =
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'

/** A hidden key: it says to the object around it that the field may be absent, and is not a keyword of JSON Schema. */
const mayBeAbsent = '~optional'

const builder = {
  Array(items: object, options: object = {}) {
    // TypeBox copies a list for each item that is there twice: a body of 2 MB took minutes. Handlers drop what is named twice.
    if ('uniqueItems' in options) throw new Error('uniqueItems is not for schemas of ours')
    return { type: 'array', items, ...options }
  },
  Boolean: (options?: object) => ({ type: 'boolean', ...options }),
  Integer: (options?: object) => ({ type: 'integer', ...options }),
  Literal: (value: string | number | boolean, options?: object) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: object) => ({ type: 'null', ...options }),
  Number: (options?: object) => ({ type: 'number', ...options }),
  Object(properties: Record<string, object>, options?: object) {
    const required = Object.entries(properties).flatMap(([name, schema]) =>
      Object.hasOwn(schema, mayBeAbsent) ? [] : [name],
    )
    return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
  },
  /** A copy, with its hidden keys. */
  Optional(schema: object) {
    const copied = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema))
    return Object.defineProperty(copied, mayBeAbsent, { value: true, enumerable: false, configurable: true })
  },
  /** The keys are text: with its pattern, or any. */
  Record: ({ pattern = '^.*$' }: { pattern?: string }, value: object, options?: object) => ({
    type: 'object',
    patternProperties: { [pattern]: value },
    ...options,
  }),
  String: (options?: object) => ({ type: 'string', ...options }),
  Union: (anyOf: object[], options?: object) => ({ anyOf, ...options }),
  Unknown: (options?: object) => ({ ...options }),
  Unsafe: (schema: object) => Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)),
}

export const Type = builder as unknown as Pick<typeof TypeBox.Type, Used>
