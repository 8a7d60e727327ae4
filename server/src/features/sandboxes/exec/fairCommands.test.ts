// Commands of several teams share the shells of a process: one team with many commands does not keep the others waiting.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { newId } from '../../../base/ids.ts'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { takeExec, waitingMax } from './execs.ts'
import { sandboxPoolOf } from '../pool/sandboxPool.ts'
import { proves } from '../../../../test/kit/proves.ts'

const newSandbox = async (team: TestTeam): Promise<string> =>
  (await team.call('POST /v2/sandboxes', { body: {} })).body.sandbox_id

suite('commands of two teams', async () => {
  const service = await testApp({ config: { sandbox: 'just_bash', sandboxShells: 2, teamShare: 75 } })
  const { db } = service.context
  const noisy = await seedTeam(service)
  const quiet = await seedTeam(service)

  const waits = async (team: TestTeam, count: number) => {
    await db.sql`
      with made as (
        insert into sandboxes (id, team_id) select gen_random_uuid(), ${team.id} from generate_series(1, ${count}::int) returning id)
      insert into sandbox_execs (id, team_id, sandbox_id, command, timeout_s, awaited_until)
      select gen_random_uuid(), ${team.id}, id, 'true', 5, now() + interval '1 minute' from made`
  }

  proves(
    'pools.commands',
    'while one team holds its share with commands that do not end, the command of another runs',
    async () => {
      const stuck = new AbortController()
      const bench = async (team: TestTeam) => {
        const sandbox_id = await newSandbox(team)
        const [row] = await db.sql<{ version: string }>`select version from sandboxes where id = ${sandbox_id}`
        const opened = await sandboxPoolOf(service.context).open({ sandbox_id, team_id: team.id })
        const run = (code: string, signal: AbortSignal) =>
          opened.run(row!.version, { language: 'bash', code, timeoutMs: 60_000, outputBytesMax: 1000, signal })
        return { run, close: () => opened.close() }
      }
      const benches = await Promise.all([noisy, noisy, noisy, quiet].map(bench))
      const held = benches
        .slice(0, 3)
        .map(({ run }) => assert.rejects(run('sleep 50', stuck.signal), /the test is over/))
      const { executed } = await benches[3]!.run('echo served', new AbortController().signal)
      assert.equal(executed.stdout, 'served\n')
      const { slots } = sandboxPoolOf(service.context)
      assert.deepEqual([slots.taken(noisy.id), slots.waiting(noisy.id)], [1, 2])
      stuck.abort(new Error('the test is over'))
      await Promise.all(held)
      await Promise.all(benches.map(({ close }) => close()))
      assert.equal(slots.taken(), 0)
    },
  )

  proves(
    'pools.commands',
    'of commands that wait for a worker, teams take turns, and a team with its share is left out',
    async () => {
      await waits(noisy, 20)
      await waits(quiet, 2)
      const worker = newId()
      const order: string[] = []
      const take = async (full: string[] = []) => {
        const taken = await takeExec(db.sql, worker, full, true)
        if (taken) order.push(taken.team_id === quiet.id ? 'quiet' : 'noisy')
      }
      for (let n = 0; n < 5; n++) await take()
      assert.deepEqual(order, ['noisy', 'quiet', 'noisy', 'quiet', 'noisy'])
      await waits(quiet, 1)
      await take([noisy.id])
      await take([noisy.id])
      assert.deepEqual(order.slice(5), ['quiet'])
      await db.sql`delete from sandbox_execs`
    },
  )

  proves(
    'pools.commands',
    'a team with too many waiting commands gets a 429 that no key remembers, and another team does not',
    async () => {
      await waits(noisy, waitingMax)
      const id = await newSandbox(noisy)
      const ask = () =>
        noisy.call(`POST /v2/sandboxes/${id}/exec`, { body: { command: 'true' }, idempotencyKey: 'again' })
      const refused = await ask()
      assert.deepEqual([refused.status, refused.body.error, refused.headers['retry-after']], [429, 'rate_limited', '1'])
      assert.match(refused.body.message, /already has 100 commands waiting/)
      await db.sql`delete from sandbox_execs`
      service.work('sandboxes')
      assert.equal((await ask()).status, 200)
      const other = await newSandbox(quiet)
      assert.equal((await quiet.call(`POST /v2/sandboxes/${other}/exec`, { body: { command: 'true' } })).status, 200)
    },
  )
})
