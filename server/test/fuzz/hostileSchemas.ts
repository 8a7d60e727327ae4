// JSON Schemas that take for ever to check, each with a value that triggers it; and random schemas and values for comparisons.
import * as fc from 'fast-check'
import { patternAttacks } from './hostilePatterns.ts'

export interface SchemaAttack {
  name: string
  schema: Record<string, unknown>
  value: unknown
}

/** Each level checks the next one twice, so the work doubles with every level. */
export function doublingChain(levels: number, keyword: 'anyOf' | 'allOf' | 'oneOf' = 'anyOf'): Record<string, unknown> {
  const $defs: Record<string, unknown> = { [`l${levels}`]: { type: 'number' } }
  for (let level = 0; level < levels; level += 1) {
    const next = { $ref: `#/$defs/l${level + 1}` }
    $defs[`l${level}`] = { [keyword]: [{ allOf: [next, { minLength: 1 }] }, { allOf: [next, { maxLength: 9 }] }] }
  }
  return { $defs, $ref: '#/$defs/l0' }
}

/** Schemas that can be saved, because they have no error, and whose check must still end. */
export const costlySchemas: SchemaAttack[] = [
  { name: 'anyOf and $ref, 24 levels', schema: doublingChain(24), value: 'text' },
  { name: 'oneOf and $ref, 24 levels', schema: doublingChain(24, 'oneOf'), value: 'text' },
  { name: 'anyOf and $ref, 60 levels', schema: doublingChain(60), value: 'text' },
  {
    name: 'a tree that asks every item twice at every level',
    schema: {
      $id: 'tree',
      anyOf: [
        { items: { $ref: 'tree' }, minItems: 9 },
        { items: { $ref: 'tree' }, type: 'array' },
      ],
    },
    value: JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) as unknown,
  },
  {
    name: 'a large enum against a large list',
    schema: { items: { enum: Array.from({ length: 9000 }, (_, n) => n) } },
    value: Array.from({ length: 50_000 }, () => -1),
  },
  {
    name: 'many patterns of names against many names',
    schema: { patternProperties: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`^(a?){30}${n}$`, true])) },
    value: Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`${'a'.repeat(30)}${n}`, n])),
  },
  {
    name: 'equal items of a long list',
    schema: { uniqueItems: true },
    value: Array.from({ length: 600_000 }, (_, n) => n),
  },
  ...patternAttacks.map(({ pattern, text }) => ({ name: pattern, schema: { type: 'string', pattern }, value: text })),
]

/** Schemas that are refused when they are saved, with a place that the refusal mentions. */
export const refusedSchemas: { schema: Record<string, unknown>; path: string }[] = [
  { schema: { $ref: '#' }, path: '' },
  { schema: { properties: { a: { allOf: [{ $ref: '#/properties/a' }] } } }, path: '/properties/a' },
  { schema: { properties: { a: { $ref: '#/$defs/none' } } }, path: '/properties/a/$ref' },
  { schema: { items: { $ref: 'https://example.com/schema.json' } }, path: '/items/$ref' },
  { schema: { properties: { 'a/b': { pattern: '(' } } }, path: '/properties/a~1b/pattern' },
  { schema: { pattern: '^(?=a)' }, path: '/pattern' },
  { schema: { pattern: '(a{1000}){1000}' }, path: '/pattern' },
  { schema: { patternProperties: { '[': true } }, path: '/patternProperties/[' },
  { schema: { $dynamicRef: '#node' }, path: '/$dynamicRef' },
  { schema: { enum: Array.from({ length: 20_000 }, (_, n) => n) }, path: '' },
  { schema: { description: 'x'.repeat(300_000) }, path: '' },
  { schema: chainOfReferences(300), path: '' },
]

function chainOfReferences(length: number): Record<string, unknown> {
  const links = Array.from({ length }, (_, n) => [`d${n}`, { $ref: `#/$defs/d${n + 1}` }])
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries(links), [`d${length}`]: true } }
}

const key = fc.constantFrom('a', 'b', 'c', 'd')
const small = fc.integer({ min: 0, max: 3 })

export const anyValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown[]>(null, true, false, 0, 1, 2, 1.5, -1, '', 'a', 'ab', 'abc', '😀', '2026-01-01'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value

const typeName = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'object', 'array')

/** Uses every keyword that looks at values; references lead to two definitions that look at smaller parts. */
export const anySchema: fc.Arbitrary<unknown> = fc.letrec<{ schema: unknown }>((tie) => {
  const part = tie('schema')
  const parts = fc.array(part, { minLength: 1, maxLength: 3 })
  const named = fc.dictionary(key, part, { maxKeys: 3, noNullPrototype: true })
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.boolean(),
      fc.record(
        {
          type: fc.oneof(typeName, fc.uniqueArray(typeName, { minLength: 1, maxLength: 3 })),
          const: anyValue,
          enum: fc.array(anyValue, { maxLength: 3 }),
          minimum: small,
          maximum: small,
          exclusiveMinimum: small,
          exclusiveMaximum: small,
          multipleOf: fc.constantFrom(1, 2, 0.5),
          minLength: small,
          maxLength: small,
          pattern: fc.constantFrom('^a', 'b$', '^(a|b)+$', '.', '^.{2}$'),
          format: fc.constantFrom('date', 'email', 'unknown'),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          type: fc.constantFrom('object', ['object', 'string']),
          properties: named,
          required: fc.array(key, { maxLength: 2 }),
          patternProperties: fc.dictionary(fc.constantFrom('^a', 'b|c'), part, { maxKeys: 2, noNullPrototype: true }),
          additionalProperties: part,
          propertyNames: part,
          minProperties: small,
          maxProperties: small,
          dependentRequired: fc.dictionary(key, fc.array(key, { maxLength: 2 }), { maxKeys: 2, noNullPrototype: true }),
          dependentSchemas: fc.dictionary(key, part, { maxKeys: 2, noNullPrototype: true }),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          items: part,
          prefixItems: parts,
          contains: part,
          minContains: small,
          maxContains: small,
          minItems: small,
          maxItems: small,
          uniqueItems: fc.boolean(),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          allOf: parts,
          anyOf: parts,
          oneOf: parts,
          not: part,
          if: part,
          else: part,
          // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
          then: part,
        },
        { requiredKeys: [] },
      ),
      fc.constantFrom({ $ref: '#/$defs/tree' }, { $ref: '#list' }),
    ),
  }
}).schema

/** Makes a whole document, with the definitions that references lead to. */
export const anyDocument: fc.Arbitrary<Record<string, unknown>> = anySchema.map((schema) => ({
  allOf: [schema],
  $defs: {
    tree: { type: ['object', 'null', 'number'], additionalProperties: { $ref: '#/$defs/tree' } },
    list: { $anchor: 'list', type: ['array', 'string'], items: { $ref: '#list' }, minLength: 1 },
  },
}))
