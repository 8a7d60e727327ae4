// Links that sign in once, taken at the same moment from two processes on one database.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { proves } from './kit/proves.ts'
import { preparedDataDir, send, startService } from './survival/processes.ts'

const links = 50

async function take(baseUrl: string, token: string): Promise<number> {
  const headers = { 'content-type': 'application/json', 'x-runyard-client': 'test', origin: baseUrl }
  const body = JSON.stringify({ token })
  return (await fetch(`${baseUrl}/auth/sign-in`, { method: 'POST', headers, body })).status
}

proves('signIn.once', `of ${links} links, two processes together give one session each`, async () => {
  const dataDir = await preparedDataDir()
  after(() => dataDir.remove())
  const options = { dataDir: dataDir.path, env: { RUNYARD_RATE_LIMIT: '0' } }
  const first = await startService(options)
  after(() => first.stop())
  const second = await startService({ ...options, args: ['--role', 'api'] })
  after(() => second.stop())
  const { key, teamId } = first
  const call = async (path: string, method = 'GET') => {
    const { status, text } = await send(first.baseUrl, { method, path, key, ...(method === 'POST' && { body: {} }) })
    assert.ok(status < 300, text)
    return JSON.parse(text) as { url: string; total: number; sessions: { came_by: string }[] }
  }
  const tokens: string[] = []
  for (let n = 0; n < links; n++) {
    const { url } = await call(`/v2/teams/${teamId}/sign-in-links`, 'POST')
    tokens.push(url.slice(url.indexOf('=') + 1))
  }
  for (const token of tokens) {
    const statuses = await Promise.all([take(first.baseUrl, token), take(second.baseUrl, token)])
    assert.deepEqual(
      statuses.toSorted((one, other) => one - other),
      [204, 401],
    )
  }
  const { sessions, total } = await call(`/v2/teams/${teamId}/sessions?limit=100`)
  assert.equal(total, links)
  assert.ok(sessions.every(({ came_by }) => came_by === 'link'))
})
