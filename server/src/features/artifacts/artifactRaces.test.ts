// Everything at once on the same artifacts, over real HTTP: one run works on each at a time, and no page, version or answer is lost.
import assert from 'node:assert/strict'
import { engineOf } from '../../engine/engine.ts'
import { finishedArtifact, pageMessage } from '../../../test/kit/artifacts.ts'
import { seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { refreshDue } from './refreshDue.ts'

const service = await testApp()
const baseUrl = await service.listen()
const { db } = service.context

/** How often everything is sent at once. */
const rounds = 8

interface Answered {
  call: string
  status: number
  text: string
}

async function send(team: TestTeam, call: string, body?: object): Promise<Answered> {
  const [method = '', path = ''] = call.split(' ')
  const json = body ? { 'content-type': 'application/json' } : {}
  const answer = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${team.key}`, ...json },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { call, status: answer.status, text: await answer.text() }
}

const atWork = (id: string) => db.sql<{ id: string }>`
  select r.id from runs r join artifacts a on a.agent_id = r.agent_id
  where a.id = ${id} and r.parent_run_id is null and r.status in ('pending', 'running', 'waiting')`

proves('artifacts.oneWork', 'of messages and refreshes at once exactly one is taken', async () => {
  const team = await seedTeam(service)
  for (let round = 0; round < rounds; round += 1) {
    const id = await finishedArtifact(service, team)
    const path = `/v2/artifacts/${id}`
    const answers = await Promise.all([
      ...['A', 'B', 'C', 'D'].map((word) => send(team, `POST ${path}/messages`, { message: pageMessage(word) })),
      send(team, `POST ${path}/refresh`),
      send(team, `POST ${path}/refresh`),
    ])
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    assert.deepEqual(statuses, [200, 409, 409, 409, 409, 409], JSON.stringify(answers))
    assert.equal((await atWork(id)).length, 1)
    await engineOf(service.context).drain()
    assert.deepEqual(await atWork(id), [])
  }
})

proves('artifacts.oneWork', 'everything at once leaves whole artifacts and answers without a fault', async () => {
  const team = await seedTeam(service)
  const answers: Answered[] = []
  for (let round = 0; round < rounds; round += 1) {
    const ids = [await finishedArtifact(service, team), await finishedArtifact(service, team)]
    await db.sql`
      update artifacts set refresh_frequency = 'hourly', next_refresh_at = now() - interval '1 second' where id = any(${ids}::uuid[])`
    const [kept = '', deleted = ''] = ids
    const [first] = await db.sql<{ id: string }>`select id from artifact_revisions where artifact_id = ${kept}`
    const tick = () => refreshDue({ context: service.context, signal: new AbortController().signal })
    const everything = ids.flatMap((id) => {
      const path = `/v2/artifacts/${id}`
      return [
        () => send(team, `POST ${path}/messages`, { message: pageMessage('A') }),
        () => send(team, `POST ${path}/messages`, { message: pageMessage('B') }),
        () => send(team, `POST ${path}/refresh`),
        () => send(team, `POST ${path}/stop`, { partial_text: 'so far' }),
        () => send(team, `PATCH ${path}`, { title: `Round ${round}` }),
        () => send(team, `PATCH ${path}`, { refresh_frequency: 'daily' }),
        () => send(team, `POST ${path}/publish`, { visibility: 'team', permission: 'edit' }),
        () => send(team, `POST ${path}/publish`, { visibility: 'private' }),
        () => send(team, `POST ${path}/duplicate`),
        () => send(team, `GET ${path}/render`),
        () => send(team, `GET ${path}/messages`),
        () => send(team, `POST ${path}/revisions/${first?.id}/restore`),
      ]
    })
    const shuffled = everything
      .map((start, index) => ({ start, at: (index * 7919 + round * 104_729) % 101 }))
      .toSorted((a, b) => a.at - b.at)
    const working = [tick(), engineOf(service.context).drain(), tick(), engineOf(service.context).drain()]
    const sent = shuffled.map(({ start }) => start())
    sent.push(send(team, `DELETE /v2/artifacts/${deleted}`))
    answers.push(...(await Promise.all(sent)))
    await Promise.all(working)
    assert.ok((await atWork(kept)).length <= 1)
    await engineOf(service.context).drain()
    assert.deepEqual(await atWork(kept), [])
    const read = await team.call(`GET /v2/artifacts/${kept}`)
    assert.equal(read.status, 200)
    assert.equal((await team.call(`GET /v2/artifacts/${deleted}`)).status, 404)
  }
  const faults = answers.filter(({ status }) => status >= 500)
  assert.deepEqual(faults, [])
  const broken = await db.sql`
    select a.id, a.status, a.revisions_count, a.run_id from artifacts a
    where a.team_id = ${team.id} and (
      a.run_id is not null
      or a.revisions_count <> (select coalesce(max(r.version), 0) from artifact_revisions r where r.artifact_id = a.id)
      or a.revisions_count <> (select count(*) from artifact_revisions r where r.artifact_id = a.id)
      or not exists (select from artifact_revisions r where r.id = a.current_revision_id and r.artifact_id = a.id)
      or exists (select from artifact_drafts d where d.artifact_id = a.id)
      or exists (
        select from artifact_messages m where m.artifact_id = a.id and m.role = 'user'
          and not exists (select from runs r where r.id = m.run_id)))`
  assert.deepEqual(broken, [])
})
