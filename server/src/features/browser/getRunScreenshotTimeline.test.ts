// The timeline of a run with many pictures: all of them, without holding up others.
import assert from 'node:assert/strict'
import { seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()

proves(
  'browser.timeline',
  'a long timeline is whole, and is signed in pieces between which others have their turn',
  async () => {
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, 'Wait.'))
    const [session, page] = [newId(), newId()]
    await team.sql`insert into browser_sessions (id, team_id, run_id) values (${session}, ${team.id}, ${runId})`
    await team.sql`
    insert into browser_pages (id, team_id, session_id, url, title, active, opened_at)
    values (${page}, ${team.id}, ${session}, 'https://example.com', 'Example', true, now())`
    const [blob] = await team.sql<{ sha256: Buffer }>`
    insert into blobs (id, sha256, size_bytes) values (${newId()}, sha256(${Buffer.from(runId)}), 1) returning sha256`
    await team.sql`
    insert into browser_screenshots (id, team_id, session_id, run_id, page_id, seq, step, action, url, title, taken_at, offset_ms, width, height,
      sha256, thumbnail_sha256)
    select gen_random_uuid(), ${team.id}, ${session}, ${runId}, ${page}, n, 1, 'click', 'https://example.com', 'Example', now(), n, 1, 1,
      ${blob!.sha256}, ${blob!.sha256} from generate_series(1, 1001) n`
    const { context } = service
    const url = context.baseUrl()
    let [inTurn, most] = [0, 0]
    const counting = () => {
      if (inTurn++ === 0) setImmediate(() => (inTurn = 0))
      most = Math.max(most, inTurn)
      return url
    }
    Object.assign(context, { baseUrl: counting })
    const { body } = await team.call(`GET /v2/agent-runs/${runId}/screenshots/timeline`)
    assert.deepEqual(
      body.screenshots.map(({ seq }: { seq: number }) => seq),
      Array.from({ length: 1001 }, (_, index) => index + 1),
    )
    assert.ok(most >= 500 && most <= 510, `${most} addresses at once`)
  },
)
