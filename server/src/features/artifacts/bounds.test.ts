// What artifacts may hold and take: long chats, large pages, and pages that cannot be drawn.
import assert from 'node:assert/strict'
import { newId } from '../../base/ids.ts'
import { setEntitlement } from '../../engine/counting/setEntitlement.ts'
import { engineOf } from '../../engine/engine.ts'
import {
  createArtifact,
  fenced,
  finishedArtifact,
  pageMessage,
  readArtifact,
  send,
} from '../../../test/kit/artifacts.ts'
import { drainRuns } from '../../../test/kit/runs.ts'
import { seeders, seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { spreadsheetSlotsOf } from './spreadsheets.ts'

const service = await testApp()
const team = await seedTeam(service)
const words = 'räksmörgås 🙂 '

proves('artifacts.bounds', 'a page of a long chat has 4 MiB at most, the newest message whole', async () => {
  const id = await finishedArtifact(service, team)
  const element = {
    selector: 'p',
    label: 'A paragraph',
    tag_name: 'p',
    text: 't'.repeat(10_000),
    outer_html: 'h'.repeat(50_000),
  }
  await team.sql`
    insert into artifact_messages (id, team_id, artifact_id, role, content, selected_element)
    select new_id(), ${team.id}, ${id}, 'user', repeat(${words}, 7000), ${JSON.stringify(element)}::jsonb from generate_series(1, 150)`
  const { body, bytes } = await team.call(`GET /v2/artifacts/${id}/messages?limit=100`)
  assert.deepEqual([body.data.length, body.total, body.has_more], [100, 152, true])
  assert.ok(bytes.length < 8 * 1024 * 1024, `${bytes.length} bytes`)
  const [oldest, newest] = [body.data[0], body.data.at(-1)]
  assert.deepEqual([newest.truncated, newest.content.length], [undefined, words.length * 7000])
  assert.equal(oldest.truncated, true)
  assert.match(oldest.content, /… \[cut: this page is too large\]$/)
  assert.equal(oldest.selected_element.selector, 'p')
  assert.ok(oldest.selected_element.outer_html.length < 1100 && oldest.selected_element.text.length < 1100)
  // the next message brings the conversation along, as much of it as a run's message may have
  const sent = await send(team, id, pageMessage('After'), { selected_element: element })
  assert.equal(sent.status, 200, sent.text)
  await drainRuns(service)
  assert.equal((await readArtifact(team, id)).status, 'completed')
})

proves(
  'artifacts.bounds',
  'a page that cannot be drawn is a sentence for whoever asks for it, not a fault',
  async () => {
    const id = await finishedArtifact(service, team)
    await team.call(`POST /v2/artifacts/${id}/publish`, { body: { visibility: 'public' } })
    const nested = '<p each="a in data.l"><b each="b in data.l"><i each="c in data.l">x</i></b></p>'
    await team.sql`
    update artifact_revisions set html = ${nested}, data_at = now(),
      data = jsonb_build_object('l', (select jsonb_agg(n) from generate_series(1, 1000) n))
    where artifact_id = ${id}`
    const { public_url, current_revision_id } = await readArtifact(team, id)
    const paths = [
      '/render',
      `/revisions/${current_revision_id}/render`,
      '/export/html',
      '/export/md',
      '/export/csv',
      '/export/xlsx',
    ]
    for (const path of paths) {
      const answer = await team.call(`GET /v2/artifacts/${id}${path}`)
      assert.deepEqual([answer.status, answer.body.error], [409, 'conflict'], path)
      assert.match(answer.body.message, /Show fewer rows/)
    }
    assert.equal((await service.call(`GET ${new URL(public_url).pathname}`)).status, 409)
  },
)

proves('artifacts.bounds', 'a refresh keeps only data that the template of the page has shown', async () => {
  const other = fenced(
    'tool name=artifact_show id=other on_error=continue',
    '{"html": "<p>x</p>", "steps": {"page": {"output": 1}}}',
  )
  const steps = `${fenced('tool name=artifact_read id=page', '{}')}\n${other}`
  const id = await createArtifact(team, { message: pageMessage('Own', steps), title: 'Own' })
  await drainRuns(service)
  const { status } = await readArtifact(team, id)
  assert.equal(status, 'completed')
  await team.call(`POST /v2/artifacts/${id}/refresh`)
  await drainRuns(service)
  const [step] = await team.sql<{ error: unknown }>`
    select s.error from run_steps s join runs r on r.id = s.run_id join artifacts a on a.agent_id = r.agent_id
    where a.id = ${id} and s.tool = 'artifact_show' order by r.run_number desc, s.seq limit 1`
  assert.match(JSON.stringify(step), /the template of its page, and no other/)
  assert.match((await team.call(`GET /v2/artifacts/${id}/render`)).text, /<h1>Own<\/h1>\s*<p>Own<\/p>/)
})

proves(
  'artifacts.bounds',
  'pages and chats count as stored, and a team that is full gets no more of them',
  async () => {
    const other = await seedTeam(service)
    const stored = async () => {
      const [row] = await other.sql<{ bytes: number }>`
      select coalesce(sum(bytes), 0)::bigint as bytes from stored_bytes where team_id = ${other.id}`
      return row?.bytes ?? 0
    }
    const id = await finishedArtifact(service, other)
    const [first] = await other.sql<{ bytes: number }>`
    select (select sum(revision_bytes(r)) from artifact_revisions r where r.team_id = ${other.id})
      + (select sum(artifact_message_bytes(m)) from artifact_messages m where m.team_id = ${other.id}) as bytes`
    assert.equal(await stored(), Number(first?.bytes))
    await other.sql`update artifact_revisions set data = data || '{"more": "12345"}' where artifact_id = ${id}`
    assert.equal(await stored(), Number(first?.bytes) + '"more": "12345", '.length)
    const waiting = await createArtifact(other, { message: pageMessage('Later') })
    await setEntitlement(other.sql, other.id, 'storage_bytes', String(await stored()))
    const { entitlements } = engineOf(service.context)
    while (!entitlements.has(other.id, 'storage_bytes')) await entitlements.refresh()
    await drainRuns(service)
    const refused = await readArtifact(other, waiting)
    assert.deepEqual([refused.status, refused.html_code_present], ['failed', false])
    for (const route of [`POST /v2/artifacts/${id}/messages`, `POST /v2/artifacts/${id}/duplicate`]) {
      const answer = await other.call(
        route,
        route.endsWith('messages') ? { body: { message: pageMessage('More') } } : {},
      )
      assert.deepEqual([answer.status, answer.body.error], [403, 'entitlement_exceeded'], route)
    }
    for (const one of [id, waiting]) assert.equal((await other.call(`DELETE /v2/artifacts/${one}`)).status, 200)
    assert.equal(await stored(), 0)
  },
)

proves('artifacts.bounds', 'an artifact has 5,000 revisions at most', async () => {
  const id = await finishedArtifact(service, team)
  await team.sql`update artifacts set revisions_count = 5000 where id = ${id}`
  const full = await send(team, id, pageMessage('More'))
  assert.deepEqual([full.status, full.body.error], [409, 'conflict'])
})

proves('artifacts.bounds', 'ids of connections are checked, however they are written', async () => {
  for (const bad of ['horse', newId(), newId().toUpperCase()]) {
    const made = await team.call('POST /v2/artifacts', { body: { message: pageMessage('x'), connection_ids: [bad] } })
    assert.equal(made.status, 400, made.text)
    const id = await finishedArtifact(service, team)
    const attached = await team.call(`POST /v2/artifacts/${id}/connections`, { body: { connection_id: bad } })
    assert.equal(attached.status, 404, attached.text)
  }
  const known = (await seeders['connection']!(team, {})).toUpperCase()
  const twice = { message: pageMessage('x'), connection_ids: [known, known] }
  const made = await team.call('POST /v2/artifacts', { body: twice })
  assert.equal(made.status, 201, made.text)
  const again = await team.call(`POST /v2/artifacts/${made.body.artifact_id}/connections`, {
    body: { connection_id: known },
  })
  assert.equal(again.body.error, 'already_attached')
  // looking for each id that is there twice once took minutes for a body like this, in which nobody else was served
  const many = { message: 'x', connection_ids: Array.from({ length: 500_000 }, () => '') }
  const refused = await team.call('POST /v2/artifacts', { body: many })
  assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_request'])
  assert.match(refused.body.message, /connection_ids/)
})

proves(
  'artifacts.bounds',
  'a process writes few spreadsheets at a time, and the others wait for their turn',
  async () => {
    const id = await finishedArtifact(service, team)
    const slots = spreadsheetSlotsOf(service.context)
    const held = await Promise.all(Array.from({ length: slots.perTeam }, () => slots.take(team.id)))
    let answered = 0
    const asked = Array.from({ length: 2 }, async () => {
      const { status } = await team.call(`GET /v2/artifacts/${id}/export/xlsx`)
      answered += 1
      return status
    })
    while (slots.waiting(team.id) < 2) await new Promise((resolve) => setImmediate(resolve))
    assert.equal(answered, 0)
    for (const release of held) release()
    assert.deepEqual(await Promise.all(asked), [200, 200])
  },
)
