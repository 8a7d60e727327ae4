// Makes a label that cases of a queue can carry.
import { newId } from '../../../base/ids.ts'
import { operation } from '../../../kit/operation.ts'
import { Type, wrapped } from '../../../kit/schema.ts'
import { hueOf, Label, labelColumns, labelFields, takenLabel } from './label.ts'

export const createLabel = operation({
  id: 'createLabel',
  client: 'labels.create',
  route: 'POST /v2/queues/:queue_id/labels',
  summary: 'Make a label',
  scope: 'queues:write',
  body: Type.Object(
    {
      key: Type.Optional(labelFields.key),
      value: labelFields.value,
      color_hue: Type.Optional(labelFields.color_hue),
    },
    { examples: [{ key: 'region', value: 'eu' }] },
  ),
  status: 201,
  answer: wrapped('label', 'label_id', Label),
  errors: ['duplicate_name', 'not_found'],
  async handler({ team, queue, body, sql, fail }) {
    const name = { key: body.key ?? '', value: body.value }
    // locked against its deletion
    const queues = await sql`select id from queues where id = ${queue.id} and team_id = ${team.id} for key share`
    if (queues.length === 0) fail('not_found')
    const [made] = await sql<Label>`
      insert into labels as l (id, team_id, queue_id, key, value, color_hue)
      values (${newId()}, ${team.id}, ${queue.id}, ${name.key}, ${name.value}, ${body.color_hue ?? hueOf(name)})
      on conflict (queue_id, key, value) do nothing
      returning ${labelColumns}`
    if (!made) return fail('duplicate_name', takenLabel(name))
    return { label: made, label_id: made.id }
  },
})
