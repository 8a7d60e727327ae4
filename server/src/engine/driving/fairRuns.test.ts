// Runs of several teams in one process: a team holds at most its share of the seats, however its runs get there.
import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { setImmediate as nextRound } from 'node:timers/promises'
import { drainRuns, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import type { Sql } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { feature } from '../../kit/feature.ts'
import { Type } from '../../kit/schema.ts'
import { outsideTool, type Outcome } from '../../kit/tool.ts'
import { admitNext } from '../admission/admission.ts'
import { claimRuns } from '../admission/claim.ts'
import { engineOf } from '../engine.ts'
import { createRunPool } from './runPool.ts'
import { proves } from '../../../test/kit/proves.ts'

/** Calls of the noisy team last until the gate opens; calls of the quiet team end at once. */
const gate = Promise.withResolvers<void>()
const quietCame = Promise.withResolvers<void>()
const shareCame = Promise.withResolvers<void>()
const allCame = Promise.withResolvers<void>()
const noisyRuns = 10
/** Three quarters of eight seats. */
const share = 6
let came = 0
let atWork = 0
let mostAtWork = 0

const made = (name: string, execute: () => Promise<Outcome>) =>
  outsideTool({
    name,
    description: 'For tests.',
    input: Type.Object({}),
    onDoubt: 'retry',
    leaves: 'never',
    timeoutMs: 600_000,
    execute,
  })

const tools = [
  made('lasting_call', async () => {
    mostAtWork = Math.max(mostAtWork, ++atWork)
    if (atWork === share) shareCame.resolve()
    if (++came === noisyRuns) allCame.resolve()
    await gate.promise
    atWork -= 1
    return { result: {} }
  }),
  made('quick_call', async () => {
    quietCame.resolve()
    return { result: {} }
  }),
]
const lasting = feature({
  name: 'lasting',
  toolSets: [{ name: 'lasting', title: 'Lasting', description: 'For tests.', provider: null, tools }],
})
const service = await testApp({ features: [lasting] })
const { sql } = service.context.db

const agentThatCalls = (team: TestTeam, name: string) =>
  seedAgent(team, `\`\`\`tool name=${name}\n{}\n\`\`\`\n`, { plugins: ['lasting'] })

async function startMany(team: TestTeam, agentId: string, count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => startRun(team, agentId)))
}

const heldOf = async ({ id }: TestTeam): Promise<number> => {
  const [row] = await sql<{ runs: number }>`
    select count(*)::int as runs from runs where team_id = ${id} and worker is not null`
  return row!.runs
}

suite('the runs of a process', () => {
  proves(
    'pools.runs',
    'one team takes three quarters of the places, the run of another begins at once, and the rest follows',
    async () => {
      const [noisy, quiet] = [await seedTeam(service), await seedTeam(service)]
      const [slow, quick] = [await agentThatCalls(noisy, 'lasting_call'), await agentThatCalls(quiet, 'quick_call')]
      const never = new AbortController().signal
      const worker = engineOf(service.context).work({ id: newId(), seats: 8, lost: () => never })
      await startMany(noisy, slow, noisyRuns)
      assert.equal(await heldOf(noisy), share)
      await startRun(quiet, quick)
      await quietCame.promise
      await shareCame.promise
      gate.resolve()
      await allCame.promise
      assert.equal(mostAtWork, share)
      await worker.stop(10_000)
      await drainRuns(service)
      const left = await sql`select id from runs where team_id = ${noisy.id} and status <> 'completed'`
      assert.deepEqual(left, [])
    },
  )

  proves(
    'pools.runs',
    'a run that ends while its team is being left out of a claim makes room for one that was left',
    async () => {
      const team = await seedTeam(service)
      await startMany(team, await agentThatCalls(team, 'quick_call'), 4)
      const { context } = service
      const asked = Promise.withResolvers<void>()
      const answered = Promise.withResolvers<void>()
      const late: Sql = async (text, ...values) => {
        const rows = await sql(text, ...values)
        if (text.join('').includes('select id, team_id from runs')) {
          asked.resolve()
          await answered.promise
        }
        return rows as never
      }
      const driven: PromiseWithResolvers<void>[] = []
      const pool = createRunPool({
        context: { ...context, db: { ...context.db, sql: late } },
        workerId: newId(),
        seats: 4,
        lost: () => new AbortController().signal,
        async drive() {
          const end = Promise.withResolvers<void>()
          driven.push(end)
          await end.promise
        },
      })
      const seats = pool.reserve(new Map([[team.id, 4]]))
      seats.fill(await claimRuns(sql, seats.workerId, seats.count))
      assert.equal(driven.length, 3, 'the share of four seats')
      const called = pool.called()
      await asked.promise
      driven[0]!.resolve()
      await nextRound()
      answered.resolve()
      const tookAll = await called
      const driving = driven.length
      for (const end of driven) end.resolve()
      await pool.stop(10_000)
      assert.deepEqual(
        { driving, tookAll },
        { driving: 4, tookAll: false },
        'one more, and the team is at its share again',
      )
    },
  )

  proves(
    'pools.runs',
    'a claim of ready runs leaves out what is past the share, whether all of them would fit or not',
    async () => {
      const [noisy, quiet] = [await seedTeam(service), await seedTeam(service)]
      await startMany(noisy, await agentThatCalls(noisy, 'quick_call'), 12)
      await startRun(quiet, await agentThatCalls(quiet, 'quick_call'))
      const claimed = async (places: number, held: number) => {
        const taken = await service.context.db
          .transaction(async (own) => {
            const shares = { perTeam: 6, held: new Map([[noisy.id, held]]) }
            throw new Undone(await claimRuns(own, newId(), places, shares))
          })
          .catch((error: unknown) => (error as Undone).runs)
        return [noisy, quiet].map(({ id }) => taken.filter(({ team_id }) => team_id === id).length)
      }
      assert.deepEqual(await claimed(20, 2), [4, 1], 'all fit')
      assert.deepEqual(await claimed(8, 2), [4, 1], 'not all fit')
      assert.deepEqual(await claimed(2, 0), [1, 1], 'two places')
      assert.deepEqual(await claimed(8, 6), [0, 1], 'the share is used up')
    },
  )

  proves(
    'pools.runs',
    'a team whose runs wait gets its slots, and of this process only its share of seats',
    async () => {
      const team = await seedTeam(service)
      await sql`insert into admission (team_id, places) values (${team.id}, 1) on conflict (team_id) do update set places = 1`
      await startMany(team, await agentThatCalls(team, 'quick_call'), 6)
      await sql`update admission set places = 5 where team_id = ${team.id}`
      const seat = { workerId: newId(), count: 10, perTeam: new Map([[team.id, 2]]) }
      const { admitted, claimed } = await admitNext(sql, [team.id], seat)
      assert.deepEqual([admitted, claimed.length], [4, 2])
    },
  )
})

class Undone extends Error {
  readonly runs: { team_id: string }[]
  constructor(runs: { team_id: string }[]) {
    super('undone')
    this.runs = runs
  }
}
