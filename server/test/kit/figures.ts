// Calls of the tools of operations, as the engine makes them, at a time that stands still.
import assert from 'node:assert/strict'
import { newId } from '../../src/base/ids.ts'
import { operationsTools } from '../../src/features/operations/tools.ts'
import type { InsideTool, Outcome, ToolCall } from '../../src/kit/tool.ts'
import type { TestTeam } from './seed.ts'
import type { TestApp } from './testApp.ts'

interface Figures {
  ask: (team: TestTeam, name: string, input?: object) => Promise<Outcome>
  // rows are read the way a template reads them
  // oxlint-disable-next-line typescript/no-explicit-any
  read: (team: TestTeam, name: string, input?: object) => Promise<any>
}

/** A call of a run of this team. */
export const callOf = (teamId: string, input: object): ToolCall<never> => {
  const ids = { id: newId(), team_id: teamId, agent_id: newId(), build_id: newId() }
  const run = { ...ids, config_hash: null, user_id: null, case_id: null, depth: 0 }
  return { id: `${run.id}:1`, step: 1, run, input: input as never }
}

export const insideTools = operationsTools.tools as unknown as InsideTool[]

/** Time stands still, so that ages are exact. */
export function figuresAt({ context: { ...context } }: TestApp, now: string): Figures {
  context.clock = { now: () => new Date(now) }
  async function ask(team: TestTeam, name: string, input: object = {}): Promise<Outcome> {
    const tool = insideTools.find((one) => one.name === name)
    assert.ok(tool)
    const [outcome] = await context.db.transaction((sql) => tool.apply([callOf(team.id, input)], sql, context))
    assert.ok(outcome)
    return outcome
  }
  return {
    ask,
    async read(team, name, input) {
      const outcome = await ask(team, name, input)
      assert.ok('result' in outcome, JSON.stringify(outcome))
      // as the ledger stores it
      return JSON.parse(JSON.stringify(outcome.result))
    },
  }
}
