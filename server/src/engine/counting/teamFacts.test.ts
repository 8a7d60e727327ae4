// Facts about teams that a process keeps: what is announced while they are read, and what is read when.
import assert from 'node:assert/strict'
import type { Sql } from '../../base/db.ts'
import type { Log } from '../../base/log.ts'
import type { Listener } from '../../kit/listener.ts'
import { proves } from '../../../test/kit/proves.ts'
import { createTeamFacts } from './teamFacts.ts'

/** A process that hears what the test announces, with a table that the test changes. */
function heldFacts() {
  const announce: (() => void)[] = []
  const listener = {
    on: (_channel: string, heard: () => void) => announce.push(heard),
    hears: () => true,
  } as unknown as Listener
  const table = new Map<string, number>()
  const readings: PromiseWithResolvers<void>[] = []
  const facts = createTeamFacts<number>({
    sql: undefined as unknown as Sql,
    log: undefined as unknown as Log,
    listener,
    name: 'facts',
    channel: 'facts',
    async read() {
      const rows = new Map(table)
      const reading = Promise.withResolvers<void>()
      readings.push(reading)
      await reading.promise
      return rows
    },
  })
  const change = (team: string, fact: number) => {
    table.set(team, fact)
    for (const heard of announce) heard()
  }
  return { facts, readings, change }
}

proves(
  'guardrails.known',
  'a change that is announced while facts are read is read again before anybody uses them',
  async () => {
    const { facts, readings, change } = heldFacts()
    const known = facts.refresh()
    change('a', 1)
    readings[0]!.resolve()
    await Promise.resolve().then(() => undefined)
    while (readings.length < 2) await Promise.resolve()
    readings[1]!.resolve()
    await known
    assert.deepEqual([facts.of('a'), facts.of('b'), readings.length], [1, undefined, 2])
  },
)

proves('guardrails.known', 'facts are read once for all who ask, and again after a change', async () => {
  const { facts, readings, change } = heldFacts()
  const asked = [facts.refresh(), facts.refresh()]
  readings[0]!.resolve()
  for (const one of asked) await one
  assert.deepEqual([readings.length, facts.refresh()], [1, undefined])
  change('a', 2)
  const again = facts.refresh()
  readings[1]!.resolve()
  await again
  assert.deepEqual([facts.of('a'), facts.changes(), readings.length], [2, 1, 2])
})
