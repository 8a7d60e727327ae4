// Memory files as users meet them over HTTP.
import assert from 'node:assert/strict'
import { seeders, seedTeam, type TestTeam } from '../../../test/kit/seed.ts'
import { testApp, type Answer } from '../../../test/kit/testApp.ts'
import { typedClient } from '../../../test/kit/typedClient.ts'
import { proves } from '../../../test/kit/proves.ts'
import { deleteAgentMemoryFile } from './deleteAgentMemoryFile.ts'
import { getAgentMemoryFile } from './getAgentMemoryFile.ts'
import { listAgentMemoryFiles } from './listAgentMemoryFiles.ts'
import { putAgentMemoryFile } from './putAgentMemoryFile.ts'

const service = await testApp()
const { sql } = service.context.db
const team = await seedTeam(service)
const client = typedClient(service, team)

const newAgent = (owner: TestTeam = team): Promise<string> => seeders['agent']!(owner, {})
const statusesOf = (answers: Answer[]): number[] => answers.map(({ status }) => status).toSorted((a, b) => a - b)
const files = (agentId: string) => `/v2/agents/${agentId}/memory/files`

proves('memory.crud', 'a file is written, read, listed by path and deleted', async () => {
  const agent_id = await newAgent()
  const at = (path: string) => ({ params: { agent_id, path } })
  const put = await client.send(putAgentMemoryFile, { ...at('notes/b.md'), body: { content: 'héllo' } })
  const { updated_at, ...facts } = put
  assert.deepEqual(facts, {
    path: 'notes/b.md',
    content: 'héllo',
    generation: 1,
    source_type: 'user',
    source_run_id: null,
  })
  assert.deepEqual(await client.send(getAgentMemoryFile, at('notes/b.md')), put)
  await client.send(putAgentMemoryFile, { ...at('a.md'), body: { content: '' } })
  const listed = await client.send(listAgentMemoryFiles, { params: { agent_id } })
  assert.deepEqual(
    listed.files.map(({ name, path, size_bytes }) => [name, path, size_bytes]),
    [
      ['a.md', 'a.md', 0],
      ['b.md', 'notes/b.md', 6],
    ],
  )
  assert.equal(listed.files[1]?.updated_at, updated_at)
  assert.deepEqual(await client.send(deleteAgentMemoryFile, at('a.md')), { success: true })
  assert.equal((await client.refused(getAgentMemoryFile, at('a.md'))).status, 404)
  assert.equal((await client.refused(deleteAgentMemoryFile, at('a.md'))).status, 404)
})

proves(
  'kit.restParameter',
  'slashes may be encoded or not, a path is decoded exactly once, and both accents are one name',
  async () => {
    const at = files(await newAgent())
    const spellings: [string, string][] = [
      ['a/b.md', 'a%2Fb.md'],
      ['100%25%2B%3F%23%26.md', '%31%30%30%25%2b%3f%23%26.md'],
      ['%252e%252e%252F', '%252e%252e%252F'],
      ['caf%C3%A9', 'cafe%CC%81'],
      ['a;b=c,d:e@f', 'a%3Bb%3Dc%2Cd%3Ae%40f'],
    ]
    const names = ['a/b.md', '100%+?#&.md', '%2e%2e%2F', 'café', 'a;b=c,d:e@f']
    for (const [index, [one, other]] of spellings.entries()) {
      const put = await team.call(`PUT ${at}/${one}`, { body: { content: one } })
      assert.equal(put.body.path, names[index])
      assert.equal((await team.call(`GET ${at}/${other}`)).body.content, one)
    }
    const long = `${'é'.repeat(100)}/${'日'.repeat(103)}`
    const put = await team.call(`PUT ${at}/${encodeURIComponent(long)}?x=1`, { body: { content: '' } })
    assert.equal(put.body.path, long)
  },
)

proves(
  ['memory.paths', 'kit.restParameter'],
  'a path that no file can have is a 404 to read or delete, and a 400 with the rule to write',
  async () => {
    const at = files(await newAgent())
    await team.call(`PUT ${at}/${encodeURIComponent('%zz')}`, { body: { content: 'a name with a percent sign' } })
    const unclean = ['', 'a//b', 'a/', '%2Fetc', 'a%5Cb', 'a%0Ab', '%2e%2e%2Fb', 'a%2F%2e', 'x'.repeat(2000)]
    for (const path of unclean) {
      for (const method of ['GET', 'DELETE'])
        assert.equal((await team.call(`${method} ${at}/${path}`)).status, 404, path)
      const put = await team.call(`PUT ${at}/${path}`, { body: { content: '' } })
      assert.equal(put.status, 400, path)
      assert.match(put.body.message, /^The path of a memory file /)
    }
    for (const path of ['%zz', '%', 'a/%ff', '%c0%ae%c0%ae/x', '%ed%a0%80', '%00', 'a%00b', 'a/b%']) {
      for (const method of ['GET', 'DELETE', 'PUT']) {
        const body = method === 'PUT' ? { body: { content: '' } } : {}
        assert.equal((await team.call(`${method} ${at}/${path}`, body)).status, 404, `${method} ${path}`)
      }
    }
    assert.equal((await team.call(`GET ${at}`)).body.files.length, 1)
  },
)

proves(
  'memory.expected',
  'a write or deletion that expects another generation is refused and changes nothing',
  async () => {
    const at = files(await newAgent())
    const put = (expected_generation: number, content = 'x') =>
      team.call(`PUT ${at}/a.md`, { body: { content, expected_generation } })
    assert.equal((await put(3)).status, 409)
    assert.equal((await put(0, 'first')).body.generation, 1)
    const again = await put(0)
    assert.equal(again.status, 409)
    assert.match(again.body.message, /is at generation 1/)
    assert.equal((await put(1, 'second')).body.generation, 2)
    assert.equal((await put(1)).status, 409)
    assert.equal((await team.call(`DELETE ${at}/a.md`, { body: { expected_generation: 1 } })).status, 409)
    assert.equal((await team.call(`GET ${at}/a.md`)).body.content, 'second')
    assert.equal((await team.call(`DELETE ${at}/a.md`, { body: { expected_generation: 2 } })).status, 200)
  },
)

proves(
  'memory.generation',
  'a path that is written again after its deletion continues above the generations it had',
  async () => {
    const at = files(await newAgent())
    const put = (path: string, body = {}) => team.call(`PUT ${at}/${path}`, { body: { content: 'x', ...body } })
    for (let n = 0; n < 3; n++) await put('a')
    await team.call(`DELETE ${at}/a`)
    const anew = await put('a', { expected_generation: 0 })
    assert.equal(anew.body.generation, 4)
    assert.equal((await put('a', { expected_generation: 3 })).status, 409)
    await put('b')
    await team.call(`DELETE ${at}/a`)
    await team.call(`DELETE ${at}/b`)
    assert.ok((await put('a')).body.generation > 4)
  },
)

proves('memory.concurrent', 'a hundred writers at once get the generations 1 to 100, and none is lost', async () => {
  const agentId = await newAgent()
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      team.call(`PUT ${files(agentId)}/shared/log.md`, { body: { content: `writer ${n}` } }),
    ),
  )
  const byGeneration = answers.toSorted((a, b) => a.body.generation - b.body.generation)
  assert.deepEqual(
    byGeneration.map(({ body }) => body.generation),
    Array.from({ length: 100 }, (_, n) => n + 1),
  )
  const { body } = await team.call(`GET ${files(agentId)}/shared/log.md`)
  assert.equal(body.content, byGeneration[99]!.body.content)
})

proves('memory.expected', 'of many writers that expect the same generation exactly one succeeds', async () => {
  const at = files(await newAgent())
  for (const expected_generation of [0, 1]) {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        team.call(`PUT ${at}/a`, { body: { content: `${n}`, expected_generation } }),
      ),
    )
    assert.deepEqual(statusesOf(answers), [200, ...Array<number>(19).fill(409)])
  }
})

proves('memory.limits', 'a file has at most 256 KiB in UTF-8', async () => {
  const at = files(await newAgent())
  const put = (content: string) => team.call(`PUT ${at}/big`, { body: { content } })
  assert.equal((await put('é'.repeat(128 * 1024))).status, 200)
  const refused = await put(`${'é'.repeat(128 * 1024)}x`)
  assert.equal(refused.status, 400)
  assert.match(refused.body.message, /262145 bytes.*at most 262144/)
})

proves('memory.limits', 'an agent has at most 1000 files and 16 MiB, also against writers at once', async () => {
  const agentId = await newAgent()
  const at = files(agentId)
  await team.call(`PUT ${at}/first`, { body: { content: '' } })
  await sql`
    insert into memory_files (team_id, agent_id, path, content, generation, source_type)
    select ${team.id}, ${agentId}, 'many/' || n, '', 1, 'user' from generate_series(1, 997) n`
  await sql`update memory_stores set files = 998 where agent_id = ${agentId}`
  const answers = await Promise.all(
    ['x', 'y', 'z', 'u', 'v'].map((path) => team.call(`PUT ${at}/${path}`, { body: { content: '' } })),
  )
  assert.deepEqual(statusesOf(answers), [200, 200, 409, 409, 409])
  assert.match(answers.find(({ status }) => status === 409)!.body.message, /1000 memory files/)
  assert.equal((await team.call(`PUT ${at}/first`, { body: { content: 'more' } })).status, 200)
  assert.equal((await team.call(`DELETE ${at}/first`)).status, 200)
  assert.equal((await team.call(`PUT ${at}/w`, { body: { content: '' } })).status, 200)

  const large = files(await newAgent())
  const content = 'x'.repeat(256 * 1024)
  for (let n = 0; n < 64; n++) await team.call(`PUT ${large}/${n}`, { body: { content } })
  const refused = await team.call(`PUT ${large}/one-more`, { body: { content: 'x' } })
  assert.equal(refused.status, 409)
  assert.match(refused.body.message, /16777217 bytes.*at most 16777216/)
  assert.equal((await team.call(`PUT ${large}/one-more`, { body: { content: '' } })).status, 200)
  assert.equal((await team.call(`PUT ${large}/5`, { body: { content: 'short' } })).status, 200)
})

proves('memory.forgotten', 'a deleted agent’s memory is gone, and what the counters say is what is there', async () => {
  const agentId = await newAgent()
  const at = files(agentId)
  const put = (path: string) => team.call(`PUT ${at}/${path}`, { body: { content: 'four' } })
  await Promise.all(['a', 'b', 'c', 'a', 'b'].map(put))
  await team.call(`DELETE ${at}/b`)
  const [store] = await sql`select files, size_bytes from memory_stores where agent_id = ${agentId}`
  assert.deepEqual(store, { files: 2, size_bytes: 8 })
  const answers = await Promise.all([team.call(`DELETE /v2/agents/${agentId}`), ...['d', 'e', 'f'].map(put)])
  assert.equal(answers[0].status, 200)
  for (const { status } of answers) assert.ok(status === 200 || status === 404)
  assert.deepEqual(await sql`select path from memory_files where agent_id = ${agentId}`, [])
  assert.equal((await team.call(`GET ${at}/a`)).status, 404)
})
