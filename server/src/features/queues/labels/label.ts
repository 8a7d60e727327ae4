// A label: a key and a value that cases of a queue can carry, in a colour.
import { hash } from 'node:crypto'
import { part, type Sql } from '../../../base/db.ts'
import { isId, newId } from '../../../base/ids.ts'
import { Label } from '../../../kit/event.ts'
import { resource } from '../../../kit/resources.ts'
import { Type, type Static } from '../../../kit/schema.ts'

export { Label }
export type Label = Static<typeof Label>

/** What a caller may set of a label; the same fields are in every answer. */
export const labelFields = {
  key: Type.String({
    maxLength: 100,
    description: 'May be empty or absent.',
    examples: ['region'],
  }),
  value: Type.String({ minLength: 1, maxLength: 200, examples: ['eu'] }),
  color_hue: Type.Integer({
    minimum: 0,
    maximum: 360,
    description: 'The hue; derived from key and value unless given.',
  }),
}

/** A label as a caller gives it: without a key, its key is empty. */
export const GivenLabel = Type.Object({ key: Type.Optional(labelFields.key), value: labelFields.value })

interface LabelName {
  key: string
  value: string
}

export const labelNameOf = ({ key = '', value }: Static<typeof GivenLabel>): LabelName => ({ key, value })

export const LabelIds = Type.Array(Type.String(), { minItems: 1, maxItems: 100, description: 'Labels of this queue.' })

/** On one case. */
export const labelsMax = 100

/** Columns of `labels l`. */
export const labelColumns = part`l.id, l.key, l.value, l.color_hue`

/** The same colour in every queue. */
export const hueOf = ({ key, value }: LabelName): number =>
  Number.parseInt(hash('sha256', JSON.stringify([key, value]), 'hex').slice(0, 8), 16) % 360

/** The label as people read it. */
export const labelText = ({ key, value }: LabelName): string => (key === '' ? value : `${key}=${value}`)

export const takenLabel = (name: LabelName): string =>
  `This queue has the label ${labelText(name)} already. Use that one, or choose another key or value.`

interface Owner {
  teamId: string
  queueId: string
}

const nameOf = ({ key, value }: LabelName): string => JSON.stringify([key, value])

/** The labels of these names, made where missing, each once, locked against their deletion. */
export async function makeLabels(sql: Sql, { teamId, queueId }: Owner, names: LabelName[]): Promise<Label[]> {
  const wanted = [...new Map(names.map((name) => [nameOf(name), name])).values()]
  const found = new Map<string, Label>()
  // once more where another made or deleted one at the same time
  while (found.size < wanted.length) {
    const missing = wanted.filter((name) => !found.has(nameOf(name)))
    const keys = missing.map(({ key }) => key)
    const values = missing.map(({ value }) => value)
    const there = await sql<Label>`
      select ${labelColumns} from labels l
      where l.queue_id = ${queueId} and l.team_id = ${teamId}
        and (l.key, l.value) in (select * from unnest(${keys}::text[], ${values}::text[]))
      for key share of l`
    for (const label of there) found.set(nameOf(label), label)
    if (there.length === missing.length) break
    const made = await insertLabels(
      sql,
      { teamId, queueId },
      missing.filter((name) => !found.has(nameOf(name))),
    )
    for (const label of made) found.set(nameOf(label), label)
  }
  return wanted.map((name) => found.get(nameOf(name))!)
}

/** Everybody uses one order, so that two requests that make the same labels do not deadlock. */
async function insertLabels(sql: Sql, { teamId, queueId }: Owner, names: LabelName[]): Promise<Label[]> {
  const sorted = names.toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))
  return sql<Label>`
    insert into labels as l (id, team_id, queue_id, key, value, color_hue)
    select w.id, ${teamId}, ${queueId}, w.key, w.value, w.hue
    from unnest(${sorted.map(() => newId())}::uuid[], ${sorted.map(({ key }) => key)}::text[],
      ${sorted.map(({ value }) => value)}::text[], ${sorted.map(hueOf)}::int[]) with ordinality as w (id, key, value, hue, n)
    order by w.n
    on conflict (queue_id, key, value) do nothing
    returning ${labelColumns}`
}

/** Locked against their deletion; undefined: one of them is not a label of this queue. */
export async function findLabels(sql: Sql, { teamId, queueId }: Owner, ids: string[]): Promise<Label[] | undefined> {
  const wanted = [...new Set(ids)]
  if (!wanted.every(isId)) return undefined
  const found = await sql<Label>`
    select ${labelColumns} from labels l
    where l.id = any(${wanted}::uuid[]) and l.queue_id = ${queueId} and l.team_id = ${teamId}
    for key share of l`
  return found.length === wanted.length ? found : undefined
}

export const noSuchLabel =
  'This queue has no label with one of the label_ids. List the labels of the queue and use their ids.'

/** Found together with its queue, so that the path of another queue does not find it. */
type FoundLabel = Label & { queue_id: string }

export const labelResource = resource(
  'label',
  (sql, id, teamId) => sql<FoundLabel>`
    select ${labelColumns}, l.queue_id from labels l where l.id = ${id} and l.team_id = ${teamId}`,
)

declare module '../../../kit/resources.ts' {
  interface Resources {
    label: FoundLabel
  }
}
