// How runs use connections: their tools, and calls with their credential, which the run never sees.
import type { Sql } from '../../../base/db.ts'
import { isId } from '../../../base/ids.ts'
import { scrubberOf, type Scrub } from '../../../base/knownSecrets.ts'
import { readRunConfig } from '../../../engine/builds/loadBuild.ts'
import type { Context } from '../../../kit/context.ts'
import type { ConnectionUse } from '../../../kit/feature.ts'
import { Outdated, type CallingRun } from '../../../kit/tool.ts'
import { boundTo, outdatedConnection } from '../credential/boundConnection.ts'
import type { Connection } from '../store/connection.ts'
import { retryWhileAway, withCredential } from '../credential/credential.ts'
import { foreignHost } from '../credential/allowedHosts.ts'
import { mayUse, notForThisRun } from '../store/connectionRight.ts'
import { callTool, mayCall } from './callTool.ts'
import { toolsForRun } from './runTools.ts'
import { hiddenValues, openSecret } from '../store/secret.ts'
import { hasCome, waitFor } from '../credential/connectionWaits.ts'

type Known = Pick<Connection, 'id' | 'name' | 'provider' | 'server_url' | 'user_id'> & {
  given: number
  is_usable: boolean
}

const waysOf = ({ id, name, provider }: Known): string[] => [id, name, provider]

export const connectionUse: ConnectionUse = {
  tools: toolsForRun,
  mayCall,
  callTool,
  scrubber: ({ context, teamId, connectionIds }) => retryWhileAway(() => scrubberFor(context, teamId, connectionIds)),
  hasCome,
  async boundTo({ sql, run, connection: asked }) {
    const all = await connectionsOf(sql, run)
    const found = find(all, asked)
    // bound to no connection: if the name means one when the call is made, that is not what was approved
    return typeof found === 'string' ? { connection_id: null } : boundTo(found)
  },
  async call({ context, run, connection: asked, url, send, isRefused, isInvalidToken, bound }) {
    const { id } = pick(await retryWhileAway(() => connectionsOf(context.db.sql, run)), asked)
    if (bound?.['connection_id'] !== undefined && bound['connection_id'] !== id) throw new Outdated(outdatedConnection)
    const used = await withCredential(
      context,
      { teamId: run.team_id, id },
      async ({ connection, headers }) => {
        // read at the moment of the call: somebody may have changed its URL
        const problem = foreignHost(context, connection, url)
        if (problem !== undefined) throw new Error(problem)
        const answer = await send(headers)
        return { answer, isRefused: isRefused(answer), isInvalidToken: isInvalidToken(answer) }
      },
      { runId: run.id },
      bound,
    )
    if (used.kind === 'changed') throw new Outdated(outdatedConnection)
    if (used.kind === 'broken') throw waitFor(run, used.connection)
    if (used.kind === 'failed') throw new Error(used.message)
    return used
  },
}

async function scrubberFor({ db, keyring }: Context, teamId: string, ids: string[]): Promise<Scrub> {
  const rows = await db.sql<{ id: string; secret: Buffer }>`
    select id, secret from connections
    where team_id = ${teamId} and id = any(${ids.filter(isId)}::uuid[]) and secret is not null`
  return scrubberOf(rows.flatMap(({ id, secret }) => hiddenValues(openSecret(keyring, id, secret))))
}

/** The connections that the run's build lists, and whether the run may use them. */
async function connectionsOf(sql: Sql, run: CallingRun): Promise<Known[]> {
  const { connections } = await readRunConfig(sql, run)
  return sql<Known>`
    select id, name, provider, server_url, user_id, given, ${mayUse({ runId: run.id })} as is_usable from connections c
    where team_id = ${run.team_id} and id = any(${connections.filter(isId)}::uuid[])
    order by created_at, id`
}

/** Finds a connection by id, by name or by provider, if exactly one fits. */
function pick(all: Known[], asked: string): Known {
  const found = find(all, asked)
  if (typeof found === 'string') throw new Error(found)
  return found
}

/** The connection that is meant, or a sentence that says why there is none. */
function find(all: Known[], asked: string): Known | string {
  const usable = all.filter(({ is_usable }) => is_usable)
  for (const way of ['id', 'name', 'provider'] as const) {
    const found = usable.filter((one) => one[way] === asked)
    if (found.length === 1) return found[0]!
    if (found.length > 1) {
      const ids = found.map(({ id }) => id).join(', ')
      return `${found.length} connections of this agent are called ${asked}. Say which by its id: ${ids}.`
    }
  }
  const closed = all.find((one) => waysOf(one).includes(asked))
  if (closed) return notForThisRun(closed.name)
  const names = usable.map(({ name }) => name).join(', ')
  const has = names ? `It has: ${names}.` : 'The build lists no connection that this run may use.'
  return `This agent has no connection called ${asked}. ${has}`
}
