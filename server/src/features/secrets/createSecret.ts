// Makes a secret: a named set of variables.
import { one } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { refuseFor } from '../../kit/problems.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { fields, Secret, secretColumns } from './secret.ts'
import { NewValues, problemsOf, sealVariables, shortValues } from './variables.ts'

/** How many a team may have. */
const secretsMax = 1000

export const createSecret = operation({
  id: 'createSecret',
  client: 'secrets.create',
  route: 'POST /v2/teams/:teamId/secrets',
  summary: 'Make a secret',
  description:
    'Runs of builds that name it in `data.secrets` have its variables in the environment of their commands, and their procedures may write ' +
    '`{{ secrets.NAME.KEY }}` in headers and bodies of http blocks and in arguments of tool blocks. The values are cut out of everything ' +
    'that leaves a run.',
  scope: 'secrets:write',
  body: Type.Object(
    { name: fields.name, values: NewValues, shared: Type.Optional(fields.shared) },
    { examples: [{ name: 'crm', values: { CRM_TOKEN: 'example-0123456789' } }] },
  ),
  status: 201,
  answer: wrapped('secret', 'secret_id', Secret),
  errors: ['duplicate_name', 'conflict', 'invalid_request'],
  async handler({ team, caller, body: { name, values, shared = true }, sql, context, fail }) {
    refuseFor([...problemsOf(values), ...shortValues(values)])
    const { made } = await one(sql<{ made: number }>`select count(*) as made from secrets where team_id = ${team.id}`)
    if (made >= secretsMax) {
      return fail(
        'conflict',
        `This team has ${secretsMax} secrets, which is the most. Delete one that is no longer used.`,
      )
    }
    const id = newId()
    const [secret] = await sql<Secret>`
      with s as (
        insert into secrets (id, team_id, user_id, name, shared, env_var_keys, sealed)
        values (${id}, ${team.id}, ${caller.member_id}, ${name}, ${shared}, ${Object.keys(values).toSorted()}::text[],
          ${sealVariables(context.keyring, id, values)})
        on conflict (team_id, name) do nothing
        returning *)
      select ${secretColumns} from s`
    if (!secret) return fail('duplicate_name', 'This team has a secret of this name. Choose another.')
    return { secret, secret_id: id }
  },
})
