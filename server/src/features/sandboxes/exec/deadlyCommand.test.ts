// A command whose workers die is given up after the third death. It is then known to be the reason, since nothing ran beside it.
import assert from 'node:assert/strict'
import { newId } from '../../../base/ids.ts'
import { seedTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { readAnswer, sweepExecs, takeExec } from './execs.ts'
import { proves } from '../../../../test/kit/proves.ts'

proves(
  'execs.deadly',
  'a command is run again after two deaths, by a worker that runs nothing else, and is given up after the third',
  async () => {
    const service = await testApp({ config: { sandbox: 'just_bash' } })
    const { sql } = service.context.db
    const team = await seedTeam(service)
    const { body } = await team.call('POST /v2/sandboxes', { body: {} })
    const id = newId()
    await sql`
    insert into sandbox_execs (id, team_id, sandbox_id, command, timeout_s, awaited_until)
    values (${id}, ${team.id}, ${body.sandbox_id}, 'true', 5, now() + interval '1 minute')`
    /** A worker that is not listed takes it: the next sweep finds that worker dead. */
    const take = (isIdle: boolean) => takeExec(sql, newId(), [], isIdle)
    for (let deaths = 0; deaths < 2; deaths++) {
      assert.equal((await take(false))?.deaths, deaths)
      assert.equal(await sweepExecs(sql, true), true)
      assert.equal(await readAnswer(sql, id), undefined)
    }
    assert.equal(await take(false), undefined, 'not beside others')
    assert.equal((await take(true))?.deaths, 2)
    await sweepExecs(sql, true)
    const answer = await readAnswer(sql, id)
    assert.match(answer && 'failure' in answer ? answer.failure : '', /^Three workers died while they ran this command/)
  },
)
