// Reads by id: getTeam through the whole pipeline against the same bytes from one prepared select.
import { connections, interleave, rowsOf, type Bed } from './interleave.ts'
import { sendOnce, statementRow, withPair, type Contest } from './pair.ts'
import { makeDataDir, type DataDir, type ServiceOptions } from './service.ts'
import type { Row } from './table.ts'

const target = 0.7
/** The most the setting takes: the limit counts every request and never refuses one. */
const limitNeverReached = 10_000_000

export const contest: Contest = {
  floor: 'floorRead.ts',
  shotFor: ({ teamId, apiKey }) => ({
    method: 'GET',
    path: `/v2/teams/${teamId}`,
    headers: { authorization: `Bearer ${apiKey}` },
    freshKey: false,
    status: 200,
  }),
}

export async function readById(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  const plain = await compare(bed, dataDir, { rateLimit: 0 })
  const limited = await compare(bed, dataDir, { rateLimit: limitNeverReached })
  const what = `getTeam, ${connections} connections`
  return [
    ...rowsOf(what, target, plain),
    await statementRow(bed, contest, dataDir, { rateLimit: 0 }),
    ...rowsOf(`${what}, rate limit on`, target, limited),
  ]
}

function compare(bed: Bed, dataDir: DataDir, options: ServiceOptions) {
  return withPair(contest, dataDir, options, async (service, floor, shot) => {
    const [ours, bare] = [await sendOnce(service, shot), await sendOnce(floor, shot)]
    if (ours !== bare) throw new Error(`the floor answers other bytes than the service:\n${ours}\n${bare}`)
    return interleave(bed, shot, { name: 'ours', ...service }, { name: 'the floor', ...floor })
  })
}
