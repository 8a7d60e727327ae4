// getRun of ended runs against the same bytes from one prepared select.
import { makeAgent, smallProcedure, startRun } from './agent.ts'
import { connections, interleave, rowsOf, type Bed } from './interleave.ts'
import { query, sendOnce, withPair, type Contest } from './pair.ts'
import { makeDataDir } from './service.ts'
import type { Row } from './table.ts'
import { setTimeout as sleep } from 'node:timers/promises'

const target = 0.7

export async function getRuns(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  let runId = ''
  const contest: Contest = {
    floor: 'floorGetRun.ts',
    shotFor: ({ apiKey }) => ({
      method: 'GET',
      path: `/v2/runs/${runId}`,
      headers: { authorization: `Bearer ${apiKey}` },
      freshKey: false,
      status: 200,
    }),
  }
  const compared = await withPair(contest, dataDir, {}, async (service, floor) => {
    runId = await startRun(service, await makeAgent(service, smallProcedure))
    for (;;) {
      const [row] = await query<{ status: string }>(service, `select status from runs where id = '${runId}'`)
      if (row!.status === 'completed') break
      await sleep(20)
    }
    const shot = contest.shotFor(service)
    const [ours, bare] = [await sendOnce(service, shot), await sendOnce(floor, shot)]
    if (ours !== bare) throw new Error(`the floor answers other bytes than the service:\n${ours}\n${bare}`)
    return interleave(bed, shot, { name: 'ours', ...service }, { name: 'the floor', ...floor })
  })
  return rowsOf(`getRun, ${connections} connections`, target, compared)
}
