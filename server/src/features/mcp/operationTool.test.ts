// Operations as tools: names that collide are found at start, and a schema says no more than a model needs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operation } from '../../kit/operation.ts'
import { nullable, Type } from '../../kit/schema.ts'
import { toolOf } from './operationTool.ts'
import { brief, outline } from './compactSchema.ts'
import { proves } from '../../../test/kit/proves.ts'

const declared = {
  id: 'paintFence',
  route: 'PATCH /v2/gardens/:gardenId/fences/:fence_id',
  summary: 'Paint a fence',
  scope: 'agents:write',
  status: 200,
  handler: async () => ({}),
} as const

proves('mcp.collisions', 'an operation of which two arguments have the same name cannot be a tool', () => {
  for (const name of ['garden_id', 'fence_id', 'idempotency_key']) {
    const clashing = operation({ ...declared, body: Type.Object({ [name]: Type.String() }) })
    assert.throws(() => toolOf(clashing), new RegExp(`paintFence has two arguments named ${name}`))
  }
  const clashing = operation({
    ...declared,
    query: Type.Object({ colour: Type.String() }),
    body: Type.Object({ colour: Type.String() }),
  })
  assert.throws(() => toolOf(clashing), /two arguments named colour/)
})

test('null is offered where it takes something away, and not where it says the same as nothing', () => {
  const body = Type.Object({ colour: Type.Optional(nullable(Type.String({ description: 'Of the paint.' }))) })
  const colourOf = (route: 'POST /v2/fences' | 'PATCH /v2/fences') =>
    toolOf(operation({ ...declared, route, body })).inputSchema.properties['colour']
  assert.deepEqual(colourOf('POST /v2/fences'), { type: 'string', description: 'Of the paint.' })
  assert.deepEqual(colourOf('PATCH /v2/fences'), {
    anyOf: [{ type: 'string', description: 'Of the paint.' }, { type: 'null' }],
  })
})

test('examples, wide limits and formats that nobody knows are left out, and fields of such names are not', () => {
  const schema = Type.Object({
    examples: Type.String({ examples: ['red'], maxLength: 20, minLength: 0, format: 'path' }),
    metadata: Type.Record(Type.String(), Type.Unknown()),
    many: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  })
  assert.deepEqual(outline(schema), {
    type: 'object',
    required: ['examples', 'metadata', 'many'],
    properties: {
      examples: { type: 'string', maxLength: 20 },
      metadata: { type: 'object' },
      many: { type: 'integer', minimum: 1 },
    },
  })
})

test('a description is cut behind a sentence', () => {
  const long = `${'word '.repeat(30)}end.`
  assert.equal(brief(`Start a run. ${long} ${long}`), `Start a run. ${long}`)
  assert.equal(brief('No sentence'), 'No sentence')
})
