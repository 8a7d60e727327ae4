// Whether the logins that browser blocks of a procedure fill in are given to its runs.
import type { Sql } from '../../../base/db.ts'
import { parsedOnce } from '../../../drivers/model/runbook/parsedRunbook.ts'
import type { Problem } from '../../../engine/builds/buildConfig.ts'
import type { Context } from '../../../kit/context.ts'
import type { Given } from '../../../kit/given.ts'
import { namedInBuilds } from '../../../kit/registry.ts'
import { teamTimeOf } from '../../../kit/teamTime.ts'

interface Asked {
  sql: Sql
  context: Context
  teamId: string
  given: Given
  procedure: string
}

export async function loginsInProcedure({ sql, context, teamId, given, procedure }: Asked): Promise<Problem[]> {
  // most procedures log in nowhere, and need not be read again
  if (!procedure.includes('login')) return []
  const { blocks } = teamTimeOf(context).piece(teamId, () => parsedOnce(procedure))
  const named = blocks.flatMap(({ logins = [] }) => logins)
  if (named.length === 0) return []
  const kept = namedInBuilds(context).find(({ kind }) => kind === 'logins')
  const found = given.logins.length > 0 ? ((await kept?.find({ sql, teamId, wanted: given.logins })) ?? []) : []
  return named.flatMap(({ name, line }) => {
    if (name === null ? found.length > 0 : found.some((one) => one.id === name || one.name === name)) return []
    const which = name === null ? 'a login' : JSON.stringify(name)
    return [{ path: 'data.input', message: `line ${line}: add ${which} to data.logins: the block uses it` }]
  })
}
