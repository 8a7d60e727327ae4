// Files of a team: uploaded, renamed, given to runs, deleted.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { hostilePaths } from '../../../test/hostilePaths.ts'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'

const service = await testApp({ config: { sandbox: 'just_bash' } })
const team = await seedTeam(service)
await service.listen()
const block = (words: string, body = '') => `\`\`\`${words}\n${body}\n\`\`\`\n\n`

async function upload(name: string, content: string): Promise<string> {
  const made = await team.call('POST /v2/teams/:teamId/files', { body: { name, content } })
  assert.equal(made.status, 201, made.text)
  return made.body.file_id
}

proves('teamFiles.kept', 'a file is kept under its name, and the next upload of that name replaces it', async () => {
  const id = await upload('kept/a.txt', 'first')
  assert.equal(await upload('kept/a.txt', 'second'), id)
  const { body } = await team.call(`GET /v2/teams/:teamId/files/${id}`)
  assert.deepEqual([body.content, body.encoding, body.file.name, body.size_bytes], ['second', 'utf-8', 'kept/a.txt', 6])
  const renamed = await team.call(`PATCH /v2/teams/:teamId/files/${id}`, { body: { name: 'kept/b.txt' } })
  assert.equal(renamed.body.file.name, 'kept/b.txt')
  const inside = await team.call('POST /v2/teams/:teamId/files', { body: { name: 'kept/b.txt/c', content: 'x' } })
  assert.equal(inside.body.error, 'conflict')
  const { body: list } = await team.call('GET /v2/teams/:teamId/files?search=kept')
  assert.deepEqual(
    list.files.map((file: { name: string }) => file.name),
    ['kept/b.txt'],
  )
})

proves('teamFiles.urls', 'signed URLs take and give the bytes without a credential', async () => {
  const asked = await team.call('POST /v2/teams/:teamId/files/upload-urls', { body: { name: 'large.bin' } })
  const bytes = Buffer.alloc(3_000_000, 'large ')
  const put = await fetch(asked.body.upload_url, { method: 'PUT', body: bytes })
  assert.equal(put.status, 201)
  const { file_id } = (await put.json()) as { file_id: string }
  const { body } = await team.call(`GET /v2/teams/:teamId/files/${file_id}`)
  const got = await fetch(body.download_url)
  assert.deepEqual([got.status, got.headers.get('content-security-policy')], [200, "sandbox; default-src 'none'"])
  assert.ok(bytes.equals(Buffer.from(await got.arrayBuffer())))
  const forged = await fetch(asked.body.upload_url.replace('large.bin', 'other.bin'), { method: 'PUT', body: 'x' })
  assert.equal(forged.status, 403)
})

const putText = (url: string, body: string) => fetch(url, { method: 'PUT', body })

proves('teamFiles.once', 'an upload URL that was used does not replace what came after it', async () => {
  const urlFor = async (): Promise<string> =>
    (await team.call('POST /v2/teams/:teamId/files/upload-urls', { body: { name: 'once.txt' } })).body.upload_url
  const [first, second] = await Promise.all([urlFor(), urlFor()])
  assert.notEqual(first, second)
  assert.equal((await putText(first, 'one')).status, 201)
  const { file_id } = (await (await putText(second, 'two')).json()) as { file_id: string }
  const again = await putText(first, 'one')
  assert.equal(again.status, 409)
  assert.match(await again.text(), /was already used/)
  assert.equal((await team.call(`GET /v2/teams/:teamId/files/${file_id}`)).body.content, 'two')
})

proves('teamFiles.once', 'one file at a time is sent to an upload URL, and after a failure another', async () => {
  const { upload_url: url } = (
    await team.call('POST /v2/teams/:teamId/files/upload-urls', { body: { name: 'slow.txt' } })
  ).body
  const id = new URL(url).searchParams.get('upload')
  const untilClaimed = async (isClaimed: boolean) => {
    for (;;) {
      const claimed = await team.sql`select from team_file_uploads where id = ${id} and claim is not null`
      if (claimed.length > 0 === isClaimed) return
    }
  }
  const slow = httpRequest(url, { method: 'PUT', headers: { 'content-length': 200 } })
  slow.on('error', () => undefined)
  slow.write(Buffer.alloc(100))
  await untilClaimed(true)
  assert.equal((await putText(url, 'x')).status, 409)
  slow.destroy()
  await untilClaimed(false)
  assert.equal((await putText(url, 'x')).status, 201)
})

proves('teamFiles.once', 'the rows of old upload URLs go when the team asks for another', async () => {
  const ask = () => team.call('POST /v2/teams/:teamId/files/upload-urls', { body: { name: 'old.txt' } })
  await ask()
  await team.sql`update team_file_uploads set expires_at = now() - interval '2 days' where team_id = ${team.id}`
  await ask()
  assert.equal((await team.sql`select from team_file_uploads where team_id = ${team.id}`).length, 1)
})

proves('teamFiles.room', 'bytes that a team cannot keep are refused before they are sent', async () => {
  const small = await testApp({ config: { teamStorageBytes: 1_000_000 } })
  await small.listen()
  const own = await seedTeam(small)
  const urlFor = async (name: string): Promise<string> =>
    (await own.call('POST /v2/teams/:teamId/files/upload-urls', { body: { name } })).body.upload_url
  const put = async (name: string, size: number) =>
    (await fetch(await urlFor(name), { method: 'PUT', body: Buffer.alloc(size) })).status
  assert.equal(await put('a.bin', 600_000), 201)
  // it takes the place of the other, so only the difference is needed
  assert.equal(await put('a.bin', 900_000), 201)
  assert.equal(await put('b.bin', 200_000), 403)
  for (const [name, status] of [
    ['a.bin/below', 409],
    ['b.bin', 403],
  ] as const) {
    const request = httpRequest(await urlFor(name), { method: 'PUT', headers: { 'content-length': 200_000 } })
    request.on('error', () => undefined)
    request.flushHeaders()
    const [answer] = (await once(request, 'response')) as [IncomingMessage]
    assert.equal(answer.statusCode, status)
    request.destroy()
  }
  const chunked = await fetch(await urlFor('b.bin'), {
    method: 'PUT',
    body: new Blob([Buffer.alloc(200_000)]).stream(),
    duplex: 'half',
  })
  assert.equal(chunked.status, 403)
  const blobs = await small.context.db.sql`select size_bytes from blobs order by size_bytes`
  assert.deepEqual(blobs, [{ size_bytes: 600_000 }, { size_bytes: 900_000 }])
})

proves('teamFiles.paths', 'a name that could lead elsewhere is refused', async () => {
  const { body: before } = await team.call('GET /v2/teams/:teamId/files')
  const names = ['../a', '/etc/passwd', 'a/../b', 'a\\b', 'C:/a', 'a/', 'a//b', '.', 'a\nb', 'a%2e%2e/b']
  for (const name of [...names, ...hostilePaths.filter((path) => path.includes('..'))]) {
    const { status } = await team.call('POST /v2/teams/:teamId/files', { body: { name, content: 'x' } })
    assert.equal(status, 400, name)
  }
  assert.equal((await team.call('GET /v2/teams/:teamId/files')).body.total, before.total)
})

proves('teamFiles.inRuns', 'runs find the files of their build in their sandbox, and cannot change them', async () => {
  const id = await upload('prices.csv', 'a,1')
  await upload('secret-plan.txt', 'not for this build')
  const procedure = [
    block(
      'bash id=sh on_error=continue',
      'cat /files/prices.csv; ls /files; echo more >> /files/prices.csv; rm -f /files/prices.csv',
    ),
    block('bash id=again', 'cat /files/prices.csv; ls /workspace | wc -l'),
    block('tool id=read name=team_file_read', '{"name": "prices.csv"}'),
    block('output', '{"again": {{ steps.again.output.stdout }}, "read": {{ steps.read.output.content }}}'),
  ].join('')
  const run = await startRun(team, await seedAgent(team, procedure, { files: [id] }))
  await drainRuns(service)
  const { status, output, error } = await readRun(team, run)
  assert.equal(status, 'completed', JSON.stringify(error))
  assert.deepEqual(output, { again: 'a,10\n', read: 'a,1' })
  const unknown = await team.call('POST /v2/teams/:teamId/agents', {
    body: { name: 'x', build: { config: { version: 'v2', data: { input: procedure, files: ['nothing.csv'] } } } },
  })
  assert.match(unknown.body.message, /data\.files: the team has no file/)
})

proves('secrets.deleted', 'deleting a file answers which agents used it', async () => {
  const id = await upload('gone.txt', 'x')
  const agent = await seedAgent(team, block('bash', 'true'), { files: ['gone.txt'] })
  const { body } = await team.call(`GET /v2/teams/:teamId/files/${id}/dependents`)
  const gone = await team.call(`DELETE /v2/teams/:teamId/files/${id}`)
  assert.deepEqual(gone.body, { success: true, ...body })
  assert.deepEqual(
    body.agents.map((one: { id: string }) => one.id),
    [agent],
  )
  assert.equal((await team.call(`GET /v2/teams/:teamId/files/${id}`)).status, 404)
})
