// The table of moves and the trigger that holds it in the database: they must say the same.
import assert from 'node:assert/strict'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { mayMove, statuses } from './lifecycle.ts'
import { proves } from '../../../test/kit/proves.ts'

proves('runs.moves', 'the database lets a run move exactly as the table says', async () => {
  const { sql } = (await testApp()).context.db
  for (const from of statuses) {
    for (const to of statuses.filter((status) => status !== from)) {
      const id = newId()
      await sql`
        insert into runs (id, team_id, agent_id, build_id, run_number, source, title, status)
        values (${id}, ${newId()}, ${newId()}, ${newId()}, nextval('run_numbers'), 'api', 'Moved', ${from})`
      const move = sql`update runs set status = ${to} where id = ${id}`
      if (mayMove(from, to)) await move
      else await assert.rejects(move, new RegExp(`a run cannot go from ${from} to ${to}`))
    }
  }
})
