// Two transactions that write the same large texts in opposite orders do not deadlock.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { preparedRun, seedAgent } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { openDatabase, type Sql } from '../../base/db.ts'
import { applyChanges } from './apply.ts'
import { addMessage, newChange } from './change.ts'
import { createRuns, claimedAtStart, type NewRun } from '../starting/createRun.ts'
import { inlineBytesMax } from './largeTexts.ts'
import { proves } from '../../../test/kit/proves.ts'

const service = await testApp()
const { db, log } = service.context
/** Waits for a lock however long a busy machine takes: only a deadlock ends a transaction here. */
const patient = openDatabase({ address: db.address, log, lockTimeoutMs: 0, pingTimeoutMs: 20_000 })
after(() => patient.close())

const large = (name: string): string => name.padEnd(inlineBytesMax + 1, '.')

/** Two teams, since starts of one team already wait for one another. */
const writers = await Promise.all([seedWriter(), seedWriter()])

async function seedWriter() {
  const team = await seedTeam(service)
  const agentId = await seedAgent(team, '```wait\n1d\n```\n')
  const newRun = (message: string): Promise<NewRun> => preparedRun(service, team, agentId, message)
  return {
    /** One statement with a start for each text. */
    async starts(texts: string[]): Promise<(sql: Sql) => Promise<unknown>> {
      const runs = await Promise.all(texts.map(newRun))
      return (sql: Sql) => createRuns(sql, runs, undefined)
    },
    /** One statement with a message for each text. */
    async messages(texts: string[]): Promise<(sql: Sql) => Promise<unknown>> {
      const run = await newRun('hello')
      await createRuns(db.sql, [run], undefined)
      const change = newChange({ ...claimedAtStart(run, null), epoch: 0 }, 1)
      for (const text of texts) addMessage(change, { type: 'text', role: 'assistant', text_content: text })
      return (sql: Sql) => applyChanges(sql, [change])
    },
  }
}

const waiting = async (): Promise<number> => {
  const [counted] = await db.sql<{ waiting: number }>`
    select count(*) as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  return counted!.waiting
}

for (const kind of ['starts', 'messages'] as const) {
  proves(
    'texts.order',
    `two transactions with the same large texts in opposite orders wait for each other in turn: ${kind}`,
    async () => {
      const [a, b, x, y] = ['a', 'b', 'x', 'y'].map((name) => large(`${kind} ${name}`)) as [
        string,
        string,
        string,
        string,
      ]
      const writes = [await writers[0][kind]([a, x, b]), await writers[1][kind]([b, y, a])]
      // both stop at their second text until this transaction ends
      const release = Promise.withResolvers<void>()
      const isHeld = Promise.withResolvers<void>()
      const gate = db.transaction(async (sql) => {
        for (const text of [x, y]) await sql`select keep_text(${text})`
        isHeld.resolve()
        await release.promise
      })
      await isHeld.promise
      const both = Promise.all(writes.map((write) => patient.transaction(write)))
      both.catch(() => undefined)
      while ((await waiting()) < 2);
      release.resolve()
      await gate
      assert.equal((await both).length, 2)
    },
  )
}
