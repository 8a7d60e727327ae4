// Changes a secret: its name, who may use it, its variables.
import { one } from '../../base/db.ts'
import { requireOwn } from '../../engine/ledger/privateRight.ts'
import { operation } from '../../kit/operation.ts'
import { refuseFor } from '../../kit/problems.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { fields, Secret, secretColumns } from './secret.ts'
import {
  ChangedValues,
  openVariables,
  problemsOf,
  RenamedKeys,
  sealVariables,
  shortValues,
  type Variables,
} from './variables.ts'

export const updateSecret = operation({
  id: 'updateSecret',
  client: 'secrets.update',
  route: 'PATCH /v2/secrets/:secret_id',
  summary: 'Change a secret',
  description:
    'Only the given fields change: `values` sets and removes variables, `renamed_keys` renames them before that. Runs under way use the ' +
    'new values from their next call on. Builds that name it by its old name no longer find it. Only its maker can change a private secret.',
  scope: 'secrets:write',
  body: Type.Object(
    {
      name: Type.Optional(fields.name),
      shared: Type.Optional(fields.shared),
      values: Type.Optional(ChangedValues),
      renamed_keys: Type.Optional(RenamedKeys),
    },
    { examples: [{ values: { CRM_TOKEN: 'example-9876543210' } }] },
  ),
  status: 200,
  answer: wrapped('secret', 'secret_id', Secret),
  errors: ['duplicate_name', 'not_found', 'invalid_request', 'forbidden'],
  async handler({ team, caller, secret: { id }, body, sql, context, fail }) {
    const [stored] = await sql<Secret & { sealed: Buffer }>`
      select ${secretColumns}, s.sealed from secrets s where s.id = ${id} and s.team_id = ${team.id} for update`
    if (!stored) return fail('not_found')
    requireOwn('secret', stored, caller.member_id)
    const name = body.name ?? stored.name
    if (name !== stored.name) {
      // locked against others who give names in this team
      await sql`select id from teams where id = ${team.id} for no key update`
      const taken = await sql`select 1 from secrets where team_id = ${team.id} and name = ${name}`
      if (taken.length > 0) fail('duplicate_name', 'This team has a secret of this name. Choose another.')
    }
    const problems: string[] = []
    const before = openVariables(context.keyring, id, stored.sealed)
    const variables = withValues(renamed(before, body.renamed_keys ?? {}, problems), body.values ?? {})
    refuseFor([...problems, ...problemsOf(variables), ...shortValues(body.values ?? {})])
    const secret = await one(sql<Secret>`
      with s as (
        update secrets set name = ${name}, shared = ${body.shared ?? stored.shared}, updated_at = now(),
          env_var_keys = ${Object.keys(variables).toSorted()}::text[], sealed = ${sealVariables(context.keyring, id, variables)}
        where id = ${id} and team_id = ${team.id}
        returning *)
      select ${secretColumns} from s`)
    return { secret, secret_id: id }
  },
})

function renamed(variables: Variables, names: Record<string, string>, problems: string[]): Variables {
  const unknown = Object.keys(names).filter((name) => !Object.hasOwn(variables, name))
  if (unknown.length > 0) problems.push(`renamed_keys names variables that the secret does not have.`)
  const entries = Object.entries(variables).map(([name, value]) => [names[name] ?? name, value] as const)
  if (new Set(entries.map(([name]) => name)).size < entries.length) {
    problems.push('renamed_keys gives one name to two variables.')
  }
  return Object.fromEntries(entries)
}

function withValues(variables: Variables, changes: Record<string, string | null>): Variables {
  const merged = Object.entries({ ...variables, ...changes })
  return Object.fromEntries(merged.filter((entry): entry is [string, string] => entry[1] !== null))
}
