// How PostgreSQL plans the statements of some work, as prepared ones whose values it does not know.
import { after } from 'node:test'
import { Client } from 'pg'
import { connectionSettings, type Database, type Sql } from '../../src/base/db.ts'
import { flatten } from '../../src/base/sql.ts'
import type { Context } from '../../src/kit/context.ts'
import type { Operation } from '../../src/kit/operation.ts'
import { scopes } from '../../src/kit/scopes.ts'
import type { TestTeam } from './seed.ts'

const element = (value: unknown): string =>
  `"${Buffer.isBuffer(value) ? `\\\\x${value.toString('hex')}` : String(value)}"`

const literal = (value: unknown): string => {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return `'{${value.map(element).join(',')}}'`
  const text = value instanceof Date ? value.toISOString() : typeof value === 'string' ? value : JSON.stringify(value)
  return `'${text.replaceAll("'", "''")}'`
}

/**
 * Explains each statement as a prepared one would be planned, and then runs it, so that the next one finds what it needs. The session does not
 * have our settings: it may read tables whole, and does so where no index fits.
 */
export async function plansOn(db: Database): Promise<(work: (sql: Sql) => Promise<unknown>) => Promise<string[]>> {
  const client = new Client(connectionSettings(db.address()))
  await client.connect()
  await client.query('set plan_cache_mode = force_generic_plan')
  after(() => client.end())
  return async (work) => {
    const plans: string[] = []
    const explaining: Sql = async (strings, ...values) => {
      const { statement, parameters } = flatten(strings, values)
      await client.query(`prepare hot as ${statement.text}`)
      const arguments_ = parameters.length > 0 ? `(${parameters.map(literal).join(', ')})` : ''
      const explained = await client.query<{ 'QUERY PLAN': string }>(`explain (costs off) execute hot${arguments_}`)
      await client.query('deallocate hot')
      plans.push(explained.rows.map((row) => row['QUERY PLAN']).join('\n'))
      return (await client.query(statement.text, parameters)).rows
    }
    await client.query('begin')
    await work(explaining)
    await client.query('rollback')
    return plans
  }
}

/**
 * Runs the handler of a GET on this sql, for an admin of the team: what is explained is what the service runs. `query` needs its defaults;
 * `found` has the records that the path names.
 */
export async function handled(
  { handler, id }: Operation,
  call: {
    sql: Sql
    team: TestTeam
    context: Context
    query?: Record<string, unknown>
    found?: Record<string, unknown>
  },
): Promise<void> {
  if (!handler) throw new Error(`${id} has no handler`)
  const { sql, team, context, query = {}, found = {} } = call
  const caller = { team_id: team.id, member_id: team.memberId, scopes: new Set(scopes) }
  await handler({ ...found, team: { id: team.id }, caller, query, sql, context } as never)
}
