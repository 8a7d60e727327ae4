// A team's stream: what is committed is given once, in an order that holds for every reader, and resumed for a day.
import assert from 'node:assert/strict'
import { before, beforeEach, describe } from 'node:test'
import { Client } from 'pg'
import { connectionSettings, sqlOn, type Sql } from '../../base/db.ts'
import { readStream, type StreamReader } from '../../../test/kit/eventStream.ts'
import { endRun, logEvents, seedRunningRun } from '../../../test/kit/followedRuns.ts'
import { testDatabase } from '../../../test/kit/postgres.ts'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'

const address = await testDatabase()
const service = await testApp({ address })
const elsewhere = await testApp({ address })
const { db } = service.context
const { sql } = db
const path = '/v2/teams/:teamId/events'
let team: TestTeam
let baseUrl: string
let otherUrl: string

before(async () => {
  baseUrl = await service.listen()
  otherUrl = await elsewhere.listen()
})
beforeEach(async () => {
  team = await seedTeam(service)
  await seeders['agent']!(team, {})
})

const kindsOf = ({ events }: StreamReader) => events.map(({ event }) => event)
const told = ({ events }: StreamReader) => events.filter(({ event }) => event !== 'start' && event !== 'gap')
const sequencesOf = (reader: StreamReader) => told(reader).map(({ data }) => data.data.sequence as number)

/** A transaction on a connection of its own, which the test commits when it wants. */
async function begin(): Promise<{ its: Sql; commit: () => Promise<void> }> {
  const client = new Client(connectionSettings(address))
  await client.connect()
  await client.query('begin')
  return {
    its: sqlOn(client),
    async commit() {
      await client.query('commit')
      await client.end()
    },
  }
}

async function writeThirty(runId: string): Promise<void> {
  for (let written = 0; written < 30; written += 2) await logEvents(sql, runId, 2)
}

describe('the stream of a team', () => {
  proves('streams.team', 'begins now, and then gives every event of the team and of no other', async () => {
    const stranger = await seedTeam(service)
    await seeders['agent']!(stranger, {})
    const before_ = await seedRunningRun(team)
    await logEvents(sql, before_, 2)
    const reader = await readStream(baseUrl, team, path)
    await logEvents(sql, await seedRunningRun(stranger), 2)
    const runId = await seedRunningRun(team)
    await logEvents(sql, runId, 2)
    await reader.until(({ events }) => events.length === 3)
    assert.deepEqual(kindsOf(reader), ['start', 'run.file.created', 'run.file.created'])
    for (const { data } of told(reader)) assert.equal(data.data.run_id, runId)
    assert.deepEqual(sequencesOf(reader), [1, 2])
  })

  proves('events.scopes', 'gives a credential only the kinds whose noun it may read', async () => {
    const { body } = await team.call('POST /v2/teams/:teamId/api-keys', { body: { scopes: ['runs:read'] } })
    const queue = await team.call('POST /v2/teams/:teamId/queues', { body: { name: 'Claims' } })
    const narrow = await readStream(baseUrl, team, path, { key: body.secret })
    const whole = await readStream(baseUrl, team, path)
    const created = { cases: [{ title: 'Claim', data: 'a secret of a customer' }] }
    await team.call(`POST /v2/queues/${queue.body.queue_id}/cases`, { body: created })
    const runId = await seedRunningRun(team)
    await logEvents(sql, runId)
    await endRun(service.context.db, runId)
    await whole.until((its) => kindsOf(its).includes('run.completed'))
    assert.deepEqual(kindsOf(whole), ['start', 'queue.case.created', 'run.file.created', 'run.completed'])
    await narrow.until((its) => kindsOf(its).includes('run.completed'))
    assert.deepEqual(kindsOf(narrow), ['start', 'run.completed'])
    assert.ok(!narrow.text().includes('a secret of a customer'))
    const ofRun = await readStream(baseUrl, team, `/v2/runs/${runId}/events`, { key: body.secret })
    await ofRun.ended
    assert.deepEqual(kindsOf(ofRun), ['run.completed', 'end'])
    const wanted = await team.call('GET /v2/teams/:teamId/events?events=queue.case.created', { key: body.secret })
    assert.equal(wanted.body.error, 'insufficient_scope')
    assert.match(wanted.body.message, /queues:read/)
  })

  proves('streams.commitOrder', 'does not lose an event that was made earlier and committed later', async () => {
    const [early, late] = [await seedRunningRun(team), await seedRunningRun(team)]
    const reader = await readStream(baseUrl, team, path)
    const first = await begin()
    await logEvents(first.its, early)
    await logEvents(sql, late)
    await reader.until((its) => told(its).length === 1)
    await first.commit()
    await reader.until((its) => told(its).length === 2)
    const [one, other] = told(reader)
    assert.deepEqual([one!.data.data.run_id, other!.data.data.run_id], [late, early])
    assert.ok(other!.data.id < one!.data.id, 'by its id it would have been passed over')
    assert.ok(other!.id! > one!.id!)
  })

  proves(
    'streams.teamRestart',
    'loses and doubles nothing over restarts, with events from everywhere and commits out of order',
    async () => {
      const runIds = [await seedRunningRun(team), await seedRunningRun(team), await seedRunningRun(team)]
      let reader = await readStream(otherUrl, team, path)
      const held = await begin()
      await logEvents(held.its, runIds[0]!)
      const writers: Promise<void>[] = []
      const all: { id: number | undefined; key: string }[] = []
      const take = (from: StreamReader) => {
        for (const { id, data } of told(from)) all.push({ id, key: `${data.data.run_id} ${data.data.sequence}` })
      }
      for (const url of [baseUrl, otherUrl, baseUrl]) {
        writers.push(...runIds.slice(1).map(writeThirty))
        await reader.until((its) => told(its).length >= 15)
        reader.leave()
        await reader.ended
        take(reader)
        if (url === otherUrl) await held.commit()
        reader = await readStream(url, team, path, { lastEventId: reader.lastEventId() })
      }
      await Promise.all(writers)
      await reader.until((its) => all.length + told(its).length >= 181)
      take(reader)
      assert.equal(all.length, 181)
      assert.equal(new Set(all.map(({ key }) => key)).size, 181)
      for (const runId of runIds) {
        const sequences = all.filter(({ key }) => key.startsWith(runId)).map(({ key }) => Number(key.split(' ')[1]))
        assert.deepEqual(
          sequences,
          [...sequences.keys()].map((index) => index + 1),
          'each run in its own order',
        )
      }
      assert.ok(all.every(({ id }, index) => index === 0 || id! > all[index - 1]!.id!))
    },
  )

  proves(
    'streams.beforeFirst',
    'is resumed at its beginning by a reader who was cut off before the first event',
    async () => {
      const reader = await readStream(baseUrl, team, path)
      await reader.until(({ events }) => events.length === 1)
      reader.leave()
      await reader.ended
      await logEvents(sql, await seedRunningRun(team), 3)
      const again = await readStream(baseUrl, team, path, { lastEventId: reader.lastEventId() })
      await again.until((its) => told(its).length === 3)
      assert.deepEqual(kindsOf(again)[0], 'start')
    },
  )

  proves('streams.kinds', 'gives only the kinds that were asked for, and refuses an unknown one', async () => {
    const runId = await seedRunningRun(team)
    const reader = await readStream(baseUrl, team, `${path}?events=run.completed,run.failed`)
    await logEvents(sql, runId, 3)
    await endRun(db, runId)
    await reader.until((its) => told(its).length === 1)
    assert.deepEqual(kindsOf(reader), ['start', 'run.completed'])
    for (const events of ['run.finished', 'run.completed,', ',', 'run.completed;run.failed', 'RUN.COMPLETED']) {
      const { status, body } = await team.call(`GET ${path}?events=${events}`)
      assert.equal(status, 400, events)
      assert.match(body.message, /events/)
    }
  })

  proves(
    'streams.kept',
    'says so when what followed Last-Event-ID is kept no more, and continues with the oldest that is',
    async () => {
      const runId = await seedRunningRun(team)
      const reader = await readStream(baseUrl, team, path)
      await logEvents(sql, runId, 4)
      await reader.until((its) => told(its).length === 4)
      const lastEventId = reader.events[0]!.id
      reader.leave()
      await reader.ended
      await sql`
      update events set created_at = created_at - interval '25 hours'
      where team_id = ${team.id} and run_id = ${runId} and sequence <= 3`
      const behind = await readStream(baseUrl, team, path, { lastEventId })
      await behind.until((its) => told(its).length === 1)
      assert.equal(kindsOf(behind)[0], 'gap')
      assert.deepEqual(sequencesOf(behind), [4])
      assert.equal(behind.events[0]!.id, behind.events[1]!.id! - 1)
      const current = await readStream(baseUrl, team, path, { lastEventId: behind.lastEventId() })
      await current.until(({ events }) => events.length === 1)
      assert.equal(kindsOf(current)[0], 'start')
    },
  )

  proves('streams.newLine', 'gives a reader who comes back after days the last day, behind a gap', async () => {
    const runId = await seedRunningRun(team)
    const reader = await readStream(baseUrl, team, path)
    await logEvents(sql, runId, 1)
    await reader.until((its) => told(its).length === 1)
    reader.leave()
    await reader.ended
    await logEvents(sql, runId, 3)
    await sql`
      update events set created_at = created_at - interval '3 days' where run_id = ${runId} and sequence <= 2`
    await sql`update event_lines set looked_at = now() - interval '3 days' where team_id = ${team.id}`
    const back = await readStream(baseUrl, team, path, { lastEventId: reader.lastEventId() })
    await back.until((its) => told(its).length === 2)
    assert.equal(kindsOf(back)[0], 'gap')
    assert.deepEqual(sequencesOf(back), [3, 4])
  })
})
