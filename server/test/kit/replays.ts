// Replay sets, drafts and replays for tests, made the way users make them.
import assert from 'node:assert/strict'
import { drainReplays } from '../../src/features/replays/replaying/replayer.ts'
import type { TestTeam } from './seed.ts'
import type { TestApp } from './testApp.ts'

/** A set with the last runs of the agent. */
export async function recordedSet(team: TestTeam, agentId: string, last = 100): Promise<string> {
  const made = await team.call(`POST /v2/agents/${agentId}/replay-sets`, { body: { name: `Set ${Math.random()}` } })
  assert.equal(made.status, 201, made.text)
  const added = await team.call(`POST /v2/replay-sets/${made.body.replay_set_id}/recordings`, { body: { last } })
  assert.equal(added.status, 200, added.text)
  assert.deepEqual(added.body.skipped, [])
  return made.body.replay_set_id
}

export async function draftOf(
  team: TestTeam,
  agentId: string,
  input: string,
  data: Record<string, unknown> = {},
): Promise<string> {
  const body = { config: { version: 'v2', data: { input, ...data } } }
  const made = await team.call(`POST /v2/agents/${agentId}/revisions`, { body })
  assert.equal(made.status, 201, made.text)
  return made.body.build_id
}

export async function startReplay(team: TestTeam, setId: string, body: object = {}): Promise<string> {
  const started = await team.call(`POST /v2/replay-sets/${setId}/replays`, { body })
  assert.equal(started.status, 202, started.text)
  return started.body.replay_id
}

export async function readReplay(team: TestTeam, replayId: string) {
  return (await team.call(`GET /v2/replays/${replayId}`)).body.replay
}

/** The reports of a replay by the numbers of their runs. */
export async function reportsOf(team: TestTeam, replayId: string) {
  const { body } = await team.call(`GET /v2/replays/${replayId}/runs?limit=200`)
  const ids = body.replay_runs.map(({ id }: { id: string }) => id)
  return Promise.all(ids.map(async (id: string) => (await team.call(`GET /v2/replay-runs/${id}`)).body.replay_run))
}

/** Replays a build and gives the replay when it has ended. */
export async function replayed(app: TestApp, team: TestTeam, setId: string, body: object = {}) {
  const id = await startReplay(team, setId, body)
  await drainReplays(app.context)
  const broken = app.logged.find((line) => line.includes('a run could not be replayed'))
  assert.equal(broken, undefined)
  return readReplay(team, id)
}
