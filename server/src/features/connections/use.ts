// Connections in the hands of runs: their tools, and calls that carry their credential without anybody of the run seeing it.
import { isId } from '../../base/ids.ts'
import { scrubberOf, type Scrub } from '../../base/knownSecrets.ts'
import { parseBuildConfig } from '../../engine/buildConfig.ts'
import type { Context } from '../../kit/context.ts'
import type { ConnectionUse } from '../../kit/feature.ts'
import type { CallingRun } from '../../kit/tool.ts'
import type { Connection } from './connection.ts'
import { patiently, withCredential } from './credential.ts'
import { foreignHost } from './ownHosts.ts'
import { toolsForRun } from './runTools.ts'
import { hiddenValues, openSecret } from './secret.ts'
import { hasCome, waitFor } from './waits.ts'

type Known = Pick<Connection, 'id' | 'name' | 'provider'> & { is_usable: boolean }

export const connectionUse: ConnectionUse = {
  tools: toolsForRun,
  scrubber: ({ context, teamId, connectionIds }) => patiently(() => scrubberFor(context, teamId, connectionIds)),
  hasCome,
  async call({ context, run, connection: asked, url, send, isRefused }) {
    const { id } = pick(await patiently(() => connectionsOf(context, run)), asked)
    const used = await withCredential(
      context,
      { teamId: run.team_id, id },
      async ({ connection, headers }) => {
        // as it is at the moment of the call: somebody may have pointed it elsewhere
        const problem = foreignHost(context, connection, url)
        if (problem !== undefined) throw new Error(problem)
        const answer = await send(headers)
        return { answer, isRefused: isRefused(answer) }
      },
      { runId: run.id },
    )
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

/** Those that the run's build names, and whether its starter may use them. */
async function connectionsOf({ db }: Context, run: CallingRun): Promise<Known[]> {
  const [build] = await db.sql<{ config: unknown }>`
    select config from builds where id = ${run.build_id} and team_id = ${run.team_id}`
  const { connections } = parseBuildConfig(build?.config)
  return db.sql<Known>`
    select id, name, provider, coalesce(shared or user_id = ${run.user_id}, false) as is_usable from connections
    where team_id = ${run.team_id} and id = any(${connections.filter(isId)}::uuid[])
    order by created_at, id`
}

/** By id, by name, or by provider; each only where one alone is meant. */
function pick(all: Known[], asked: string): Known {
  const usable = all.filter(({ is_usable }) => is_usable)
  for (const way of ['id', 'name', 'provider'] as const) {
    const found = usable.filter((one) => one[way] === asked)
    if (found.length === 1) return found[0]!
    if (found.length > 1) {
      const ids = found.map(({ id }) => id).join(', ')
      throw new Error(`${found.length} connections of this agent are called ${asked}. Say which by its id: ${ids}.`)
    }
  }
  if (all.some(({ id, name }) => id === asked || name === asked)) {
    throw new Error(
      `The connection ${asked} is for runs that its own maker starts. Share it, or let its maker start the run.`,
    )
  }
  const names = usable.map(({ name }) => name).join(', ')
  const has = names ? `It has: ${names}.` : 'Its build names none that this run may use.'
  throw new Error(`This agent has no connection called ${asked}. ${has}`)
}
