// Keyed writes: createMember with a fresh Idempotency-Key each, against one plain transaction with the same rows.
import { connections, interleave, rowsOf, type Bed } from './interleave.ts'
import { query, sendOnce, statementRow, withPair, type Contest } from './pair.ts'
import { makeDataDir, type Service } from './service.ts'
import type { Row } from './table.ts'

const target = 0.5

export const contest: Contest = {
  floor: 'floorWrite.ts',
  shotFor: ({ teamId, apiKey }) => ({
    method: 'POST',
    path: `/v2/teams/${teamId}/members`,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Night shift' }),
    freshKey: true,
    status: 201,
  }),
}

export async function keyedWrite(bed: Bed): Promise<Row[]> {
  await using dataDir = await makeDataDir()
  const options = { rateLimit: 0 }
  const compared = await withPair(contest, dataDir, options, async (service, floor, shot) => {
    const [ours, bare] = [await sendOnce(service, shot), await sendOnce(floor, shot)]
    if (ours.length !== bare.length) throw new Error(`the floor answers another size:\n${ours}\n${bare}`)
    await requireSameRows(service)
    return interleave(bed, shot, { name: 'ours', ...service }, { name: 'the floor', ...floor })
  })
  return [
    ...rowsOf(`createMember with Idempotency-Key, ${connections} connections`, target, compared),
    await statementRow(bed, contest, dataDir, options),
  ]
}

/** After one request to each side: two rows in each table, alike in what fills them. */
async function requireSameRows(service: Service): Promise<void> {
  const [found] = await query<Record<string, number>>(
    service,
    `select (select count(*)::int from idempotency_keys) as replies,
      (select count(distinct octet_length(reply))::int from idempotency_keys) as reply_sizes,
      (select count(*)::int from audit_log) as audited,
      (select count(distinct (member_id, credential_id, operation, target_type, status, length(request_id)))::int
        from audit_log) as audited_kinds`,
  )
  const wanted = { replies: 2, reply_sizes: 1, audited: 2, audited_kinds: 1 }
  if (JSON.stringify(found) !== JSON.stringify(wanted)) {
    throw new Error(`the floor writes other rows than the service: ${JSON.stringify(found)}`)
  }
}
