// What a process does with slots that became free, when one of the teams is busy.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { begin } from '../../../test/kit/heldTransaction.ts'
import { proves } from '../../../test/kit/proves.ts'
import { preparedRun, seedAgent } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { openDatabase } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { createRuns } from '../starting/createRun.ts'
import type { ClaimedRun } from './claim.ts'
import { newSlotKeeper, noteTeams } from './slotKeeper.ts'

const service = await testApp()
const { log } = service.context
const db = openDatabase({ address: service.context.db.address, log, lockTimeoutMs: 200, connectionsMax: 2 })
after(() => db.close())

proves(
  'runs.slotsGiven',
  'runs that a process claims are driven also when the slots of another team are locked',
  async () => {
    const teams = [await seedTeam(service), await seedTeam(service), await seedTeam(service)]
    for (const team of teams) {
      const run = await preparedRun(service, team, await seedAgent(team, '```output\nx\n```\n'))
      // it waits in the line, and a slot is free
      await createRuns(db.sql, [{ ...run, isCapped: true }], undefined)
    }
    const [first, locked, last] = teams.map(({ id }) => id).sort()
    const driven: ClaimedRun[] = []
    const seats = { workerId: newId(), count: 10, fill: (claimed: ClaimedRun[]) => void driven.push(...claimed) }
    const keeper = newSlotKeeper({
      db,
      log,
      reserve: () => seats,
      hasWaitingStart: () => false,
      onFreed: () => undefined,
      onReady: () => undefined,
    })
    const { its, commit } = await begin(db.address())
    await its`select from admission where team_id = ${locked!} for update`
    noteTeams(
      keeper,
      teams.map(({ id }) => ({ team_id: id, free: 1, in_line: 1 })),
    )
    await keeper.admitting
    await commit()
    assert.deepEqual(driven.map(({ team_id }) => team_id).sort(), [first, last])
  },
)
