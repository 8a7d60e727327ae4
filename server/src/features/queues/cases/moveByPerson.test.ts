// People at work on cases: who may do what to which, and what is kept of it.
import assert from 'node:assert/strict'
import { readTimeline, seedCases, seedColleague, seedQueue, seedWorker } from '../../../../test/kit/cases.ts'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import { dispatchQueue } from '../dispatch/dispatch.ts'
import { proves } from '../../../../test/kit/proves.ts'

const service = await testApp()

async function seedCase(): Promise<{ team: TestTeam; queueId: string; caseId: string }> {
  const team = await seedTeam(service)
  const queueId = await seedQueue(team)
  const [caseId] = await seedCases(team, queueId, 1)
  return { team, queueId, caseId: caseId! }
}

const eventsOf = (team: TestTeam) =>
  // read the way a receiver reads them
  // oxlint-disable-next-line typescript/no-explicit-any
  team.sql<{ event: string; data: any }>`select event, data from events where team_id = ${team.id} order by event`

proves('cases.people', 'a person takes a case and completes it, and timeline and events say so', async () => {
  const { team, queueId, caseId } = await seedCase()
  const claimed = await team.call(`POST /v2/cases/${caseId}/claim`)
  assert.equal(claimed.status, 200, claimed.text)
  assert.equal(claimed.body.case_id, caseId)
  assert.equal(claimed.body.case.display_status, 'in_progress')
  assert.equal(claimed.body.case.attempts, 1)
  assert.equal(claimed.body.case.claimed_by_run_id, null)
  const result = { paid: [1, 'two'] }
  const completed = await team.call(`POST /v2/cases/${caseId}/complete`, { body: { result } })
  assert.equal(completed.body.case.status, 'completed')
  assert.deepEqual(completed.body.case.result, result)
  assert.equal(completed.body.case.claimed_at, null)
  const timeline = await readTimeline(team, queueId)
  assert.deepEqual(
    timeline.map(({ type, user_id }) => [type, user_id]),
    [
      ['claimed', team.memberId],
      ['completed', team.memberId],
    ],
  )
  const events = await eventsOf(team)
  assert.deepEqual(
    events.map(({ event, data }) => [event, data.case_id, data.status]),
    [
      ['queue.case.claimed', caseId, undefined],
      ['queue.case.completed', caseId, 'completed'],
    ],
  )
})

proves(
  'cases.peopleHeld',
  'what another person holds is refused with their name, and one’s own cannot be taken twice',
  async () => {
    const { team, caseId } = await seedCase()
    const ann = await seedColleague(team, 'Ann')
    assert.equal((await ann.call(`POST /v2/cases/${caseId}/claim`)).status, 200)
    for (const verb of ['claim', 'complete', 'fail', 'release']) {
      const refused = await team.call(`POST /v2/cases/${caseId}/${verb}`)
      assert.equal(refused.status, 409, verb)
      assert.equal(refused.body.error, 'conflict')
      assert.match(refused.body.message, /^Ann holds this case/)
    }
    const later = await team.call(`POST /v2/cases/${caseId}/postpone`, { body: { seconds: 60 } })
    assert.match(later.body.message, /^Ann holds this case/)
    const again = await ann.call(`POST /v2/cases/${caseId}/claim`)
    assert.equal(again.status, 409)
    assert.match(again.body.message, /^You hold this case already/)
  },
)

proves('cases.peopleHeld', 'what a run holds is refused with the run', async () => {
  const { team, queueId, caseId } = await seedCase()
  await seedWorker(team, queueId)
  assert.equal(await dispatchQueue(service.context, queueId), 1)
  const [held] = await team.sql<{ run_id: string }>`select claimed_by_run_id as run_id from cases where id = ${caseId}`
  for (const verb of ['claim', 'complete', 'fail', 'release']) {
    const refused = await team.call(`POST /v2/cases/${caseId}/${verb}`)
    assert.equal(refused.status, 409, verb)
    assert.ok(refused.body.message.includes(held!.run_id), refused.body.message)
  }
})

proves(
  'cases.people',
  'a case that nobody holds is failed with its reason, and what has ended moves no more',
  async () => {
    const { team, caseId } = await seedCase()
    const failed = await team.call(`POST /v2/cases/${caseId}/fail`, { body: { reason: 'The invoice is a copy.' } })
    assert.equal(failed.body.case.status, 'failed')
    assert.equal(failed.body.case.reason, 'The invoice is a copy.')
    for (const verb of ['claim', 'complete', 'fail', 'release']) {
      const refused = await team.call(`POST /v2/cases/${caseId}/${verb}`)
      assert.equal(refused.status, 409, verb)
      assert.match(refused.body.message, /^The case is failed already/)
    }
  },
)

proves('cases.peopleRelease', 'a case is given back by its holder alone, and is pending again', async () => {
  const { team, queueId, caseId } = await seedCase()
  const none = await team.call(`POST /v2/cases/${caseId}/release`)
  assert.equal(none.status, 409)
  assert.match(none.body.message, /^Nobody holds this case/)
  await team.call(`POST /v2/cases/${caseId}/claim`)
  const released = await team.call(`POST /v2/cases/${caseId}/release`, { body: { reason: 'Not mine.' } })
  assert.equal(released.status, 200, released.text)
  assert.equal(released.body.case.display_status, 'pending')
  const [, last] = await readTimeline(team, queueId)
  assert.equal(last!.type, 'released')
  assert.equal(last!.reason, 'Not mine.')
})

proves(
  'cases.peoplePostpone',
  'a case is put aside until a time or for some seconds, and can be taken before',
  async () => {
    const { team, caseId } = await seedCase()
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const there = await team.call(`POST /v2/cases/${caseId}/postpone`, {
      body: { postponed_to: until, reason: 'Later.' },
    })
    assert.equal(there.status, 200, there.text)
    assert.equal(there.body.case.display_status, 'postponed')
    assert.equal(there.body.case.postponed_to, until)
    assert.equal(there.body.case.reason, 'Later.')
    const longer = await team.call(`POST /v2/cases/${caseId}/postpone`, { body: { seconds: 7200 } })
    assert.ok(longer.body.case.postponed_to > until)
    const taken = await team.call(`POST /v2/cases/${caseId}/claim`)
    assert.equal(taken.body.case.display_status, 'in_progress')
    assert.equal(taken.body.case.postponed_to, null)
  },
)

const yearsAhead = (years: number) => new Date(Date.now() + years * 366 * 86_400_000).toISOString()

proves('cases.peoplePostpone', 'a time that is past, too far, missing or given twice is refused', async () => {
  const { team, caseId } = await seedCase()
  const wrong = [
    {},
    { seconds: 60, postponed_to: yearsAhead(1) },
    { seconds: 0 },
    { seconds: 3654 * 86_400 },
    { postponed_to: '2020-01-01T00:00:00Z' },
    { postponed_to: yearsAhead(11) },
    { postponed_to: 'tomorrow' },
  ]
  for (const body of wrong) {
    const refused = await team.call(`POST /v2/cases/${caseId}/postpone`, { body })
    assert.equal(refused.status, 400, JSON.stringify(body))
    assert.equal(refused.body.error, 'invalid_request')
  }
})

proves('cases.assign', 'a member gets a free case or one of the giver, and holds it alone', async () => {
  const { team, queueId, caseId } = await seedCase()
  const ann = await seedColleague(team, 'Ann')
  const assign = (to: unknown, by: TestTeam = team) =>
    by.call(`POST /v2/cases/${caseId}/assign`, { body: { assignee_user_id: to } })
  for (const nobody of ['Ann', '01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f']) assert.equal((await assign(nobody)).status, 400)
  const given = await assign(ann.memberId)
  assert.equal(given.status, 200, given.text)
  assert.deepEqual([given.body.case.display_status, given.body.case.claimed_by_user_id], ['in_progress', ann.memberId])
  const refused = await assign(team.memberId)
  assert.deepEqual([refused.status, refused.body.message.startsWith('Ann holds this case')], [409, true])
  assert.equal((await assign(team.memberId, ann)).body.case.claimed_by_user_id, team.memberId)
  const back = await assign(null)
  assert.deepEqual([back.body.case.display_status, back.body.case.claimed_by_user_id], ['pending', null])
  const timeline = await readTimeline(team, queueId)
  assert.deepEqual(
    timeline.map(({ type, user_id }) => [type, user_id]),
    [
      ['assigned', team.memberId],
      ['assigned', ann.memberId],
      ['released', team.memberId],
    ],
  )
  const events = await eventsOf(team)
  assert.deepEqual(
    new Set(events.map(({ event, data }) => `${event} ${data.case.claimed_by_user_id}`)),
    new Set([ann, team].map(({ memberId }) => `queue.case.claimed ${memberId}`)),
  )
})

proves('cases.takeOver', 'an admin takes a case from its holder, and an operator only from who has left', async () => {
  const { team, queueId, caseId } = await seedCase()
  const [ann, ben] = [await seedColleague(team, 'Ann'), await seedColleague(team, 'Ben')]
  const take = (body: object, by: TestTeam = team) => by.call(`POST /v2/cases/${caseId}/take-over`, { body })
  await ann.call(`POST /v2/cases/${caseId}/claim`)
  const refused = await take({ held_by_user_id: ann.memberId }, ben)
  assert.deepEqual([refused.status, refused.body.error], [403, 'forbidden'])
  const stale = await take({ held_by_user_id: ben.memberId })
  assert.deepEqual([stale.status, stale.body.message.startsWith('Ann holds this case by now')], [409, true])
  assert.equal((await take({ held_by_user_id: ann.memberId })).body.case.claimed_by_user_id, team.memberId)
  const given = await take({ held_by_user_id: team.memberId, assignee_user_id: ann.memberId, reason: 'Hers.' })
  assert.equal(given.body.case.claimed_by_user_id, ann.memberId)
  await team.call(`DELETE /v2/teams/:teamId/members/${ann.memberId}`)
  const [left] = await team.sql<{ holder: string | null }>`
    select claimed_by_user_id as holder from cases where id = ${caseId}`
  assert.equal(left!.holder, ann.memberId)
  assert.equal((await take({ held_by_user_id: team.memberId, assignee_user_id: ann.memberId })).status, 400)
  const released = await take({ held_by_user_id: ann.memberId, assignee_user_id: null }, ben)
  assert.deepEqual([released.status, released.body.case.display_status], [200, 'pending'])
  const none = await take({ held_by_user_id: ann.memberId })
  assert.deepEqual([none.status, none.body.message.startsWith('Nobody holds this case')], [409, true])
  const timeline = await readTimeline(team, queueId)
  assert.deepEqual(
    timeline.slice(1).map(({ type, reason }) => `${type}: ${reason}`),
    ['claimed: From Ann.', 'assigned: From Tester to Ann. Hers.', 'released: From Ann.'],
  )
})
