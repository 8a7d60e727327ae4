// Lists the triggers of an agent, oldest first.
import { part } from '../../base/db.ts'
import { operation } from '../../kit/operation.ts'
import { readLongRows } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { listedTriggerColumns, longMessage, shown, Trigger, type TriggerRow } from './trigger.ts'

export const listAgentTriggers = operation({
  id: 'listAgentTriggers',
  client: 'triggers.list',
  route: 'GET /v2/agents/:agent_id/triggers',
  summary: 'List triggers',
  description:
    'Webhooks, events, polls and mail addresses that start runs of the agent. Its queue is its case trigger.',
  scope: 'agents:read',
  status: 200,
  answer: Type.Object({ triggers: Type.Array(Trigger) }),
  async handler({ team, agent, caller, context, sql }) {
    const rows = await readLongRows<TriggerRow>(sql, {
      table: part`triggers`,
      where: part`agent_id = ${agent.id} and team_id = ${team.id}`,
      order: part`triggers.id`,
      columns: listedTriggerColumns,
      long: [longMessage],
    })
    return { triggers: rows.map((row) => shown(context, caller, row)) }
  },
})
