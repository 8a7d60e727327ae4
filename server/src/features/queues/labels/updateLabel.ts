// Changes a label; cases that carry it show it as it is now.
import { sqlState, uniqueViolation } from '../../../base/db.ts'
import { operation } from '../../../kit/operation.ts'
import { Type, wrapped } from '../../../kit/schema.ts'
import { Label, labelColumns, labelFields, takenLabel } from './label.ts'

export const updateLabel = operation({
  id: 'updateLabel',
  client: 'labels.update',
  route: 'PATCH /v2/queues/:queue_id/labels/:label_id',
  summary: 'Change a label',
  description: 'Only the given fields change. A new key or value leaves the colour as it is.',
  scope: 'queues:write',
  body: Type.Object(
    {
      key: Type.Optional(labelFields.key),
      value: Type.Optional(labelFields.value),
      color_hue: Type.Optional(labelFields.color_hue),
    },
    { examples: [{ color_hue: 210 }] },
  ),
  status: 200,
  answer: wrapped('label', 'label_id', Label),
  errors: ['duplicate_name', 'not_found'],
  async handler({ team, label, body, sql, fail }) {
    try {
      const [changed] = await sql<Label>`
        update labels l set
          key = coalesce(${body.key ?? null}, l.key),
          value = coalesce(${body.value ?? null}, l.value),
          color_hue = coalesce(${body.color_hue ?? null}, l.color_hue)
        where l.id = ${label.id} and l.team_id = ${team.id}
        returning ${labelColumns}`
      if (!changed) return fail('not_found')
      return { label: changed, label_id: changed.id }
    } catch (error) {
      if (sqlState(error) !== uniqueViolation) throw error
      return fail('duplicate_name', takenLabel({ key: body.key ?? label.key, value: body.value ?? label.value }))
    }
  },
})
