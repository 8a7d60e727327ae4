// Pictures of pages: drawn after each change, served by a signed URL, and given up where they cannot be drawn.
import assert from 'node:assert/strict'
import { finishedArtifact, readArtifact } from '../../../test/kit/artifacts.ts'
import { needsBrowser } from '../../../test/kit/browser.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { startDrawing } from './drawPictures.ts'

const service = await testApp()
const team = await seedTeam(service)

async function draw(): Promise<void> {
  const work = startDrawing(service.context)
  await work.poll()
  await work.idle()
  await work.stop()
}

proves(
  'artifacts.pictures',
  'each page gets a picture, which whoever may read it sees by a signed URL',
  needsBrowser,
  async () => {
    const id = await finishedArtifact(service, team)
    assert.equal((await readArtifact(team, id)).thumbnail_url, null)
    await draw()
    const { thumbnail_url } = await readArtifact(team, id)
    const { body } = await team.call(`GET /v2/artifacts/${id}/revisions`)
    assert.deepEqual(
      body.revisions.map((one: { thumbnail_url: string }) => one.thumbnail_url),
      [thumbnail_url],
    )
    const { pathname, search } = new URL(thumbnail_url)
    const picture = await service.call(`GET ${pathname}${search}`)
    assert.deepEqual([picture.status, picture.headers['content-type']], [200, 'image/jpeg'])
    assert.deepEqual([...picture.bytes.subarray(0, 2)], [0xff, 0xd8])
    assert.equal((await service.call(`GET ${pathname}${search}x`)).status, 403)
    const due =
      await team.sql`select id from artifact_revisions where picture_due_at is not null and artifact_id = ${id}`
    assert.deepEqual(due, [])
  },
)

proves('artifacts.pictures', 'a picture that cannot be drawn is tried three times', async () => {
  const without = await testApp({ config: { cdpUrl: 'http://127.0.0.1:9' } })
  const other = await seedTeam(without)
  const id = await finishedArtifact(without, other)
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    await other.sql`update artifact_revisions set picture_due_at = now() where artifact_id = ${id} and picture_due_at is not null`
    const work = startDrawing(without.context)
    await work.poll()
    await work.idle()
    await work.stop()
  }
  const [left] = await other.sql<{ picture_failures: number; picture_due_at: Date | null }>`
    select picture_failures, picture_due_at from artifact_revisions where artifact_id = ${id}`
  assert.deepEqual(left, { picture_failures: 3, picture_due_at: null })
  assert.equal((await readArtifact(other, id)).thumbnail_url, null)
})
