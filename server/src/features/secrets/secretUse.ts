// How runs use secrets: variables for commands, values in calls that leave, and every use in the audit log.
import { part } from '../../base/db.ts'
import { isId } from '../../base/ids.ts'
import { fillMarks, type SecretMark } from '../../base/secretMark.ts'
import { notForThisRun, runMayUse } from '../../engine/ledger/privateRight.ts'
import type { GivenTo, NamedInBuilds, SecretUse } from '../../kit/given.ts'
import { noteUse } from './noteUse.ts'
import { secretsNamed } from './secret.ts'
import { openVariables, type Variables } from './variables.ts'

interface UsableSecret {
  id: string
  name: string
  variables: Variables
}

interface Row {
  id: string
  name: string
  sealed: Buffer
  is_usable: boolean
}

const rowsOf = ({ context, run }: GivenTo, wanted: string[]): Promise<Row[]> => context.db.sql<Row>`
  select s.id, s.name, s.sealed, ${runMayUse(part`s`, run.id)} as is_usable from secrets s
  where s.team_id = ${run.team_id} and (s.name = any(${wanted}::text[]) or s.id = any(${wanted.filter(isId)}::uuid[]))`

/** In the order of the build; the uses are in the audit log when this returns. */
async function useSecrets(asked: GivenTo, isWanted: (name: string) => boolean): Promise<UsableSecret[]> {
  const { context, given } = asked
  const rows = await rowsOf(asked, given.secrets)
  const used = given.secrets.flatMap((wanted): UsableSecret[] => {
    const row = rows.find(({ id, name }) => id === wanted || name === wanted)
    if (!row) {
      if (!isId(wanted) && !isWanted(wanted)) return []
      throw new Error(
        `The build names the secret ${wanted}, which does not exist any more. Make it again, or take it out of the build.`,
      )
    }
    if (!isWanted(row.name)) return []
    if (!row.is_usable) throw new Error(notForThisRun('secret', row.name))
    return [{ id: row.id, name: row.name, variables: openVariables(context.keyring, row.id, row.sealed) }]
  })
  await noteUses(asked, used)
  return used
}

async function noteUses(asked: GivenTo, used: UsableSecret[]): Promise<void> {
  const { context, run } = asked
  for (const { id } of used) await noteUse(asked, 'useSecret', { type: 'secret', id })
  await context.db.sql`
    update secrets set last_used_at = now()
    where team_id = ${run.team_id} and id = any(${used.map(({ id }) => id)}::uuid[])
      and (last_used_at is null or last_used_at < now() - interval '1 minute')`
}

export const secretUse: SecretUse = {
  async variables(asked) {
    if (asked.given.secrets.length === 0) return {}
    const used = await useSecrets(asked, () => true)
    // of two sets with one variable, the later one in the build counts
    return Object.assign({}, ...used.map(({ variables }) => variables)) as Variables
  },
  async putIn({ input, ...asked }) {
    const named = new Set<string>()
    fillMarks(input, ({ set }) => (named.add(set), ''))
    const used = await useSecrets(asked, (name) => named.has(name))
    return fillMarks(input, (mark) => valueOf(used, mark))
  },
  keys: ({ sql, teamId, wanted }) => secretsNamed(sql, teamId, wanted),
}

function valueOf(used: UsableSecret[], { set, key }: SecretMark): string {
  const found = used.find(({ name }) => name === set)
  if (!found) throw new Error(`The build does not name the secret ${set}. Add it to data.secrets of its config.`)
  const value = Object.hasOwn(found.variables, key) ? found.variables[key] : undefined
  if (value === undefined) throw new Error(`The secret ${set} has no variable ${key}.`)
  return value
}

/** Also of secrets that this run may not use: what somebody else's run left in a file must not be seen either. */
export async function hiddenSecrets(asked: GivenTo): Promise<string[]> {
  const { context, given } = asked
  if (given.secrets.length === 0) return []
  const rows = await rowsOf(asked, given.secrets)
  return rows.flatMap(({ id, sealed }) => Object.values(openVariables(context.keyring, id, sealed)))
}

export const secretsInBuilds: NamedInBuilds = {
  kind: 'secrets',
  noun: 'secret',
  find: ({ sql, teamId, wanted }) => secretsNamed(sql, teamId, wanted),
}
