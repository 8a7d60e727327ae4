// The schemas that we build ourselves are those that TypeBox would build.
import assert from 'node:assert/strict'
import { Type as TypeBox } from 'typebox'
import { Type } from './schemaBuilder.ts'
import { proves } from '../../test/kit/proves.ts'

type Builder = typeof Type

/** One of each function, with options and without. */
const declare = (T: Builder) =>
  T.Object(
    {
      text: T.String(),
      name: T.String({ minLength: 1, description: 'Its name.' }),
      count: T.Optional(T.Integer({ minimum: 0 })),
      part: T.Number(),
      isOn: T.Optional(T.Boolean()),
      kind: T.Literal('one', { examples: ['one'] }),
      version: T.Literal(2),
      always: T.Literal(true),
      many: T.Array(T.Union([T.String(), T.Null()]), { maxItems: 3 }),
      rest: T.Record(T.String({ maxLength: 5 }), T.Unknown(), { description: 'Anything.' }),
      bare: T.Record(T.String(), T.Unknown({ title: 'x' })),
      headers: T.Record(T.String({ pattern: '^[a-z]+$', maxLength: 5 }), T.String()),
      word: T.Unsafe<'a'>({ type: 'string', enum: ['a'] }),
      none: T.Optional(T.Object({})),
      loose: T.Object({ only: T.Optional(T.String()) }, { additionalProperties: false }),
    },
    { description: 'All of them.' },
  )

proves(
  'schemas.builder',
  'a schema of ours is the JSON Schema that TypeBox makes of the same declaration, key by key',
  () => {
    assert.equal(JSON.stringify(declare(Type)), JSON.stringify(declare(TypeBox)))
  },
)

proves(
  'schemas.builder',
  'a list whose items must differ cannot be declared: naming all that are equal takes minutes',
  () => {
    assert.throws(() => Type.Array(Type.String(), { uniqueItems: true }), /uniqueItems/)
  },
)
