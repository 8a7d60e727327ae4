// Whether the secrets that a procedure names are given to its runs, and have the variables that it names.
import type { Sql } from '../../../base/db.ts'
import { parsedOnce } from '../../../drivers/model/runbook/parsedRunbook.ts'
import { secretOf } from '../../../drivers/model/runbook/secretHoles.ts'
import type { Problem } from '../../../engine/builds/buildConfig.ts'
import type { Context } from '../../../kit/context.ts'
import type { Given } from '../../../kit/given.ts'
import { secretUseOf } from '../../../kit/registry.ts'
import { teamTimeOf } from '../../../kit/teamTime.ts'

interface Asked {
  sql: Sql
  context: Context
  teamId: string
  given: Given
  procedure: string
}

export async function secretsInProcedure({ sql, context, teamId, given, procedure }: Asked): Promise<Problem[]> {
  // most procedures name none, and need not be read again
  if (!procedure.includes('secrets')) return []
  const { blocks } = teamTimeOf(context).piece(teamId, () => parsedOnce(procedure))
  const named = blocks.flatMap(({ line, expressions }) =>
    expressions.flatMap(({ expression }) => {
      const secret = secretOf(expression)
      return secret ? [{ ...secret, line }] : []
    }),
  )
  if (named.length === 0) return []
  const sets = (await secretUseOf(context)?.keys({ sql, teamId, wanted: given.secrets })) ?? []
  return named.flatMap(({ set, key, line }) => {
    const keys = sets.find(({ name }) => name === set)?.env_var_keys
    if (keys?.includes(key)) return []
    const message = keys
      ? `the secret ${set} has no variable ${key}`
      : `add ${JSON.stringify(set)} to data.secrets: the block uses it`
    return [{ path: 'data.input', message: `line ${line}: ${message}` }]
  })
}
