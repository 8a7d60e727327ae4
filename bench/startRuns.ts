// startRun, with and without Idempotency-Key, against one plain transaction each with the same rows and no work after it.
import { makeAgent, smallProcedure } from './agent.ts'
import { connections, interleave, rowsOf, type Bed } from './interleave.ts'
import { query, sendOnce, withPair, type Contest } from './pair.ts'
import { makeDataDir, type Service } from './service.ts'
import type { Row } from './table.ts'

/** A process that only answers: what is measured is the start, not the work. */
const options = { args: ['--role', 'api'] }

const targets = { plain: 0.8, keyed: 0.75 }

export async function startRuns(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  const rows: Row[] = []
  for (const [name, freshKey, target] of [
    ['startRun', false, targets.plain],
    ['startRun with Idempotency-Key', true, targets.keyed],
  ] as const) {
    let agentId = ''
    const contest: Contest = {
      floor: 'floorStart.ts',
      shotFor: ({ teamId, apiKey }) => ({
        method: 'POST',
        path: `/v2/teams/${teamId}/runs`,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ agent_id: agentId, message: 'hello' }),
        freshKey,
        status: 201,
      }),
    }
    const compared = await withPair(contest, dataDir, options, async (service, floor) => {
      agentId = await makeAgent(service, smallProcedure)
      const shot = contest.shotFor(service)
      const [ours, bare] = [await sendOnce(service, shot), await sendOnce(floor, shot)]
      if (Math.abs(ours.length - bare.length) > 2) throw new Error(`the floor answers another size:\n${ours}\n${bare}`)
      await requireSameRows(service, agentId)
      return interleave(bed, shot, { name: 'ours', ...service }, { name: 'the floor', ...floor })
    })
    rows.push(...rowsOf(`${name}, ${connections} connections`, target, compared))
  }
  return rows
}

/** After one request to each side: the same number of rows for each run in each table. */
async function requireSameRows(service: Service, agentId: string): Promise<void> {
  const found = await query<{ id: string; messages: number; events: number; audited: number }>(
    service,
    `select r.id, (select count(*)::int from run_messages m where m.run_id = r.id) as messages,
       (select count(*)::int from events e where e.run_id = r.id) as events,
       (select count(*)::int from audit_log a where a.target_id = r.id::text) as audited
     from runs r where r.agent_id = '${agentId}'`,
  )
  const kinds = new Set(found.map(({ messages, events, audited }) => `${messages} ${events} ${audited}`))
  if (found.length !== 2 || kinds.size !== 1)
    throw new Error(`the floor writes other rows than the service: ${JSON.stringify(found)}`)
}
