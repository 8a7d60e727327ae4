// Writes that share a commit: one whose run was taken away leaves nothing behind, and the others do not notice.
import assert from 'node:assert/strict'
import { lockedLimit } from '../../../test/kit/lockedLimit.ts'
import { seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { newId } from '../../base/ids.ts'
import { applyChanges } from './apply.ts'
import { addEvent, addMessage, newChange } from './change.ts'
import { claimRuns, type ClaimedRun } from '../admission/claim.ts'
import { setEntitlement } from '../counting/setEntitlement.ts'
import { recordOutcome } from '../driving/outcome.ts'
import { newStep } from '../driving/planCalls.ts'
import { engineOf } from '../engine.ts'
import { createApplyLane, type Follow, type Write } from './applyLane.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { db } = service.context

function laneOn(database: typeof db, options: Partial<Parameters<typeof createApplyLane>[0]> = {}) {
  const { toolRegistry, storage } = engineOf(service.context)
  const watch = { onFlush: () => undefined, onMade: () => undefined }
  const context = { ...service.context, db: database }
  return createApplyLane({
    context,
    toolRegistry,
    hasOwnLimit: storage.isOwn,
    onFreed: () => undefined,
    watch,
    ...options,
  })
}

/** A write with one call, which writes a memory file. */
function writesMemory(run: ClaimedRun, path: string): Write {
  const input = { path, content: 'x' }
  const step = newStep({ turn: 1 }, 1, undefined, 'memory_write', input)
  const call = { id: `${run.id}:1`, step: 1, run, input } as never
  return {
    change: newChange(run, 1),
    effects: [
      { kind: 'inside', tool: 'memory_write', call, record: (change, outcome) => recordOutcome(change, step, outcome) },
    ],
    wakeSeen: run.wake_seq,
  }
}

proves(
  'runs.fencedEffect',
  'of runs that share a commit, one that was taken away leaves no effect, and the others have theirs',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, '```output\nx\n```\n')
    for (let n = 0; n < 4; n++) await startRun(team, agentId)
    const held = await claimRuns(db.sql, newId(), 100)
    let undone = 0
    const watched: typeof db = {
      ...db,
      async transaction(work) {
        try {
          return await db.transaction(work)
        } catch (error) {
          undone += 1
          throw error
        }
      },
    }
    const lane = laneOn(watched)
    const writeOf = (index: number): Write => writesMemory(held[index]!, `${index}.md`)
    await db.sql`update runs set epoch = epoch + 1 where id = ${held[2]!.id}`
    // the first goes at once, the others arrive while it is under way and share the next flush, which is undone
    const applied = await Promise.all([0, 1, 2, 3].map((index) => lane.write(writeOf(index))))
    assert.deepEqual(
      applied.map(({ outcome }) => outcome),
      ['written', 'written', 'fenced', 'written'],
    )
    const { body } = await team.call(`GET /v2/agents/${agentId}/memory/files`)
    assert.deepEqual(
      body.files.map(({ path }: { path: string }) => path),
      ['0.md', '1.md', '3.md'],
    )
    const steps = await db.sql<{
      run_id: string
    }>`select run_id from run_steps where run_id = any(${held.map(({ id }) => id)})`
    assert.deepEqual(new Set(steps.map(({ run_id }) => run_id)), new Set([held[0]!.id, held[1]!.id, held[3]!.id]))
    assert.equal(undone, 1)
  },
)

proves(
  'runs.messageNumbers',
  'events about messages have the numbers of their messages, whatever the holder thinks that the log has',
  async () => {
    const team = await seedTeam(service)
    const runId = await startRun(team, await seedAgent(team, '```output\nx\n```\n'))
    const [run] = await claimRuns(db.sql, newId(), 100)
    const { call } = team
    await call(`POST /v2/runs/${runId}/messages`, { body: { message: 'By the way, {"message":{"seq":7,' } })
    const change = newChange(run!, 1)
    addMessage(change, { type: 'text', role: 'assistant', text_content: 'One {"message":{"seq":8, and more' })
    addEvent(change, 'run.tool_call.completed', { tool: 'http_request' })
    addMessage(change, { type: 'text', role: 'assistant', text_content: 'Two' })
    const wakeSeen = run!.wake_seq + 1
    const { applied } = await applyChanges(db.sql, [
      { ...change, move: { status: 'completed', output: 'x', wakeSeen } },
    ])
    assert.equal(applied[0]!.outcome, 'written')
    assert.notEqual(applied[0]!.messageSeq, change.messagesBefore + 2)
    const { body: log } = await call(`GET /v2/runs/${runId}/messages`)
    const { body: told } = await call(`GET /v2/runs/${runId}/event-log`)
    const toldMessages = told.events.filter(({ event }: { event: string }) => event === 'run.message.created')
    assert.deepEqual(
      toldMessages.map(({ data }: { data: { message: object } }) => data.message),
      log.messages.map((message: object) => ({ ...message, run_id: runId })),
    )
    assert.deepEqual(told.events.map(({ event }: { event: string }) => event).slice(-4), [
      'run.message.created',
      'run.tool_call.completed',
      'run.message.created',
      'run.completed',
    ])
  },
)

proves(
  'runs.sharedCommit',
  'a run that was woken as it was to end is written apart, and its failure is its own',
  async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, '# Say\n\n```output\ndone\n```\n')
    for (let n = 0; n < 3; n++) await startRun(team, agentId)
    const runs = await claimRuns(db.sql, newId(), 100)
    const flushes: number[] = []
    const lane = laneOn(db, { watch: { onFlush: (operations) => flushes.push(operations), onMade: () => undefined } })
    const [first, other, woken] = runs.map((run) => {
      const change = newChange(run, 1)
      addMessage(change, { type: 'text', role: 'assistant', text_content: 'said' })
      return { change, effects: [], wakeSeen: 0 }
    })
    await db.sql`update runs set wake_seq = wake_seq + 1 where id = ${woken!.change.runId}`
    const follow: Follow = async (change) => {
      if (flushes.length > 1) throw new Error('the second attempt fails')
      change.move = { status: 'completed', output: null, wakeSeen: 0 }
      return []
    }
    const outcomes = await Promise.allSettled([
      lane.write(first!),
      lane.write(other!),
      lane.write({ ...woken!, follow }),
    ])
    assert.deepEqual(flushes, [1, 2], 'the last two shared a commit')
    assert.deepEqual(
      outcomes.map((one) => (one.status === 'fulfilled' ? one.value.outcome : String(one.reason))),
      ['written', 'written', 'Error: the second attempt fails'],
    )
  },
)

proves('runs.sharedCommit', 'what was committed is not written again when the look after it is put off', async () => {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, '# Say\n\n```output\ndone\n```\n')
  for (let n = 0; n < 3; n++) await startRun(team, agentId)
  const runs = await claimRuns(db.sql, newId(), 100)
  let looks = 0
  const busy = (async (...args: Parameters<typeof db.sql>) => {
    if (!args[0].join('').startsWith('select id, epoch, wake_seq')) return db.sql(...args)
    looks += 1
    // as a change of the table under way does
    return looks === 1
      ? db.sql`do $$ begin raise exception using errcode = 'lock_not_available'; end $$`
      : db.sql(...args)
  }) as typeof db.sql
  const lane = laneOn({ ...db, sql: busy })
  const writes = runs.map((run): Write => {
    const change = newChange(run, 1)
    addMessage(change, { type: 'text', role: 'assistant', text_content: 'said once' })
    return { change, effects: [], wakeSeen: run.wake_seq }
  })
  await db.sql`update runs set epoch = epoch + 1 where id = ${runs[2]!.id}`
  const applied = await Promise.all(writes.map((write) => lane.write(write)))
  assert.deepEqual(
    applied.map(({ outcome }) => outcome),
    ['written', 'written', 'fenced'],
  )
  assert.equal(looks, 2)
  const [{ said }] = (await db.sql<{ said: number }>`
    select count(*)::int as said from run_messages where text_content = 'said once'`) as [{ said: number }]
  assert.equal(said, 2)
})

/** Writes of a team whose limit somebody has locked, and of another one; how many transactions were undone before all were made. */
async function writesBesideLock(options: Parameters<typeof laneOn>[1]): Promise<number> {
  const [limited, other] = [await seedTeam(service), await seedTeam(service)]
  const agents = [await seedAgent(limited, '```output\nx\n```\n'), await seedAgent(other, '```output\nx\n```\n')]
  for (let n = 0; n < 2; n++) await startRun(limited, agents[0]!)
  for (let n = 0; n < 3; n++) await startRun(other, agents[1]!)
  const held = await claimRuns(db.sql, newId(), 100)
  const writesOf = (team: { id: string }) =>
    held.filter(({ team_id }) => team_id === team.id).map((run, index) => writesMemory(run, `${index}.md`))
  await setEntitlement(db.sql, limited.id, 'storage_bytes', '1000')
  const { entitlements } = engineOf(service.context)
  while (!entitlements.has(limited.id, 'storage_bytes')) await Promise.all([entitlements.refresh(), db.sql`select`])
  let undone = 0
  const patient: typeof db = {
    ...db,
    transaction: (work) =>
      db
        .transaction(async (sql) => {
          await sql`set local lock_timeout = 0`
          return work(sql)
        })
        .catch((error: unknown) => {
          undone += 1
          throw error
        }),
  }
  const lane = laneOn(patient, options)
  const { free } = await lockedLimit(db, limited.id)
  let waits = true
  const [first, ...rest] = writesOf(other)
  const begun = lane.write(first!)
  // while that is under way the others arrive, and would share the next commit
  const put = Promise.all(writesOf(limited).map((write) => lane.write(write))).finally(() => (waits = false))
  const made = await Promise.all([begun, ...rest.map((write) => lane.write(write))])
  assert.deepEqual([made.map(({ outcome }) => outcome), waits], [['written', 'written', 'written'], true])
  await free()
  assert.deepEqual(
    (await put).map(({ outcome }) => outcome),
    ['written', 'written'],
  )
  const { body } = await limited.call(`GET /v2/agents/${agents[0]}/memory/files`)
  assert.equal(body.files.length, 2)
  return undone
}

proves(
  'runs.limitLocked',
  'writes that need the limit of their team wait until its row is free, and undo no commit of another team',
  async () => {
    assert.equal(await writesBesideLock({}), 0)
  },
)

proves(
  'runs.limitLocked',
  'writes that were not known to need a limit share one commit, and are then made by team',
  async () => {
    assert.equal(await writesBesideLock({ hasOwnLimit: () => false }), 1)
  },
)
