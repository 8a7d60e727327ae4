// runyard key create: an API key for a member of a team; its secret is printed once and stored nowhere.
import type { Sql } from '../base/db.ts'
import { isId } from '../base/ids.ts'
import { issueApiKey } from '../features/credentials/apiKey.ts'
import { readInstant } from '../kit/instant.ts'
import { effectiveScopes, grantableScopes, scopesBeyond, type Role } from '../kit/scopes.ts'
import { recordCommand } from '../kit/audit.ts'
import { CommandFailed, UsageError, type Call } from './command.ts'
import { withDatabase } from './joinDatabase.ts'
import { requireCurrentSchema } from './requireCurrentSchema.ts'

export async function keyCreate({
  config,
  log,
  values,
  print,
}: Call<{ team?: string; member?: string; name?: string; scopes?: string; expires?: string }>): Promise<void> {
  const name = readName(values.name)
  const scopes = readScopes(values.scopes)
  const expiresAt = readExpiry(values.expires)
  const { apiKey, secret } = await withDatabase({ config, log, role: 'key create' }, async (joined) => {
    const { sql } = joined
    await requireCurrentSchema(joined.client)
    const teamId = await findTeam(sql, values.team)
    const member = await findHolder(sql, teamId, values.member)
    requireWithinRole(scopes, member.role)
    return joined.transaction(async () => {
      const issued = await issueApiKey(sql, { teamId, memberId: member.id, name, scopes, expiresAt })
      await recordCommand(sql, teamId, 'key create', { type: 'key', id: issued.apiKey.id })
      return issued
    })
  })
  print(`Key     ${apiKey.id}`)
  print(`Team    ${apiKey.team_id}`)
  print(`Member  ${apiKey.user_id}`)
  print(`Scopes  ${apiKey.scopes.join(', ')}`)
  if (expiresAt) print(`Until   ${expiresAt.toISOString()}`)
  print(`Secret  ${secret}`)
  print('The secret is not shown again. Keep it now.')
}

function readName(given = 'Command line'): string {
  const name = given.trim()
  if (name.length === 0 || name.length > 100) throw new UsageError('--name must have 1 to 100 characters.')
  return name
}

function readScopes(given = '*'): string[] {
  const scopes = given.split(',').map((scope) => scope.trim())
  const unknown = scopes.filter((scope) => !(grantableScopes as readonly string[]).includes(scope))
  if (unknown.length === 0) return scopes
  throw new UsageError(
    `--scopes has ${unknown.map((scope) => `"${scope}"`).join(', ')}; there are ${grantableScopes.join(', ')}.`,
  )
}

function readExpiry(given: string | undefined): Date | null {
  if (given === undefined) return null
  const instant = readInstant(given)
  if (!instant)
    throw new UsageError('--expires must be an ISO 8601 time with its offset, such as 2030-01-31T12:00:00Z.')
  const expiresAt = new Date(instant)
  if (expiresAt <= new Date()) throw new UsageError('--expires must lie in the future.')
  return expiresAt
}

/** The team is never guessed: a key of the wrong team would give access to the wrong data. */
async function findTeam(sql: Sql, given: string | undefined): Promise<string> {
  const teams = await sql<{ id: string; name: string }>`select id, name from teams order by created_at, id limit 21`
  if (given !== undefined) {
    const [team] = isId(given) ? await sql<{ id: string }>`select id from teams where id = ${given}` : []
    if (team) return team.id
    throw new CommandFailed(`No team has the id ${given}. ${listed(teams)}`)
  }
  const [first, second] = teams
  if (first && !second) return first.id
  if (!first) {
    throw new CommandFailed('There is no team yet. Start Runyard once, or make one: npx runyard team create NAME')
  }
  throw new CommandFailed(`There are several teams: say which with --team ID. ${listed(teams)}`)
}

function listed(teams: { id: string; name: string }[]): string {
  const shown = teams.slice(0, 20).map(({ id, name }) => `${id} (${name})`)
  return `Teams: ${shown.join(', ')}${teams.length > 20 ? ' and more' : ''}.`
}

async function findHolder(sql: Sql, teamId: string, given: string | undefined): Promise<{ id: string; role: Role }> {
  const [member] =
    given === undefined
      ? await sql<{ id: string; role: Role }>`
          select id, role from members where team_id = ${teamId} and role = 'admin' and removed_at is null
          order by created_at, id limit 1`
      : isId(given)
        ? await sql<{ id: string; role: Role }>`
            select id, role from members where team_id = ${teamId} and id = ${given} and removed_at is null`
        : []
  if (member) return member
  throw new CommandFailed(
    given === undefined
      ? `The team ${teamId} has no admin. Say whose key it is with --member ID.`
      : `No member of the team ${teamId} has the id ${given}.`,
  )
}

/** The rule is that of the API: what the role would cut off anyway is refused, not silently lost. */
function requireWithinRole(scopes: string[], role: Role): void {
  const beyond = scopesBeyond(
    scopes.filter((scope) => scope !== '*'),
    effectiveScopes(['*'], role),
  )
  if (beyond.length > 0) throw new CommandFailed(`A member with the role ${role} cannot have ${beyond.join(', ')}.`)
}
