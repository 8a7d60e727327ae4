// Case triggers as what starts runs by itself, for builders: made paused, and switched on when their build becomes live.
import { part } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import type { RunStarts } from '../../../kit/offers.ts'
import type { Static } from '../../../kit/schema.ts'
import { validateBody } from '../../../kit/validate.ts'
import { announceQueue } from '../cases/announceQueue.ts'
import { lockQueue, noSuchQueue, triggersOfAgent } from './caseTrigger.ts'
import { insertCaseTrigger, NewCaseTrigger } from './insertCaseTrigger.ts'

type Body = Static<typeof NewCaseTrigger>

const bodyOf = (settings: Record<string, unknown>): Body =>
  validateBody(NewCaseTrigger, { ...settings, enabled: false }) as unknown as Body

/** SQL condition: as it was made, which was paused. */
const isReady = part`(not enabled and updated_at = created_at)`

export const caseStarts: RunStarts = {
  kinds: () => ['case'],
  title: ({ settings }) => `cases of the queue ${String(settings['case_queue_name'])}`,
  async list({ sql, teamId, agentId }) {
    const there = await triggersOfAgent(sql, agentId, teamId)
    return there.map(({ case_queue_name }) => `cases of the queue ${case_queue_name}`)
  },
  async check({ sql, teamId, agentId, wanted }) {
    if (!(await lockQueue(sql, teamId, bodyOf(wanted.settings).case_queue_id)))
      throw new Fault('not_found', noSuchQueue)
    if ((await triggersOfAgent(sql, agentId, teamId)).length > 0) throw new Fault('case_trigger_exists')
  },
  make: async ({ sql, teamId, agentId, starter, wanted }) =>
    (await insertCaseTrigger({ sql, teamId, agentId, memberId: starter.member_id, body: bodyOf(wanted.settings) })).id,
  async ready({ sql, teamId, ids }) {
    const rows = await sql<{ id: string }>`
      select id from case_triggers where id = any(${ids}::uuid[]) and team_id = ${teamId} and ${isReady}`
    return rows.map(({ id }) => id)
  },
  async begin({ sql, teamId, ids }) {
    const begun = await sql<{ queue_id: string }>`
      update case_triggers set enabled = true, updated_at = now()
      where id = any(${ids}::uuid[]) and team_id = ${teamId} and ${isReady} returning queue_id`
    for (const { queue_id } of begun) await announceQueue(sql, queue_id)
  },
}
