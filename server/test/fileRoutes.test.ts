// Every file route against every hostile path: none leads out, none tells one path from another, none breaks the service.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { newId } from '../src/base/ids.ts'
import { hostilePaths, unreadablePaths } from './hostilePaths.ts'
import { isLongForm } from './kit/longForm.ts'
import { runWithFile, seeders, seedTeam } from './kit/seed.ts'
import { testApp, type Answer } from './kit/testApp.ts'
import { provesTogether } from './kit/proves.ts'

const canary = `canary ${newId()}`
const service = await testApp()
const team = await seedTeam(service)
const { sql } = service.context.db
const sandboxId = await seeders['sandbox']!(team, {})
const agentId = await seeders['agent']!(team, {})
const runId = await runWithFile(team, { agent: agentId })
const files = `/v2/sandboxes/${sandboxId}/files`

/** A file outside of every workspace, on the disk, and the roads that lead to it from anywhere. */
const outside = await mkdtemp(join(tmpdir(), 'runyard-outside-'))
const canaryPath = join(outside, 'canary')
before(() => writeFile(canaryPath, canary))
after(() => rm(outside, { recursive: true }))

const roadsToCanary = [
  canaryPath,
  `../../..${canaryPath}`,
  `/workspace/../..${canaryPath}`,
  `/proc/self/root${canaryPath}`,
]
const allHostile = [...hostilePaths, ...roadsToCanary]

function formWith(path: string): { body: Buffer; headers: Record<string, string> } {
  const boundary = 'a boundary that is in no path of these'.replaceAll(' ', '-')
  const head = (words: string) => `--${boundary}\r\nContent-Disposition: form-data; ${words}\r\n\r\n`
  const text = `${head('name="file"; filename="a.txt"')}text\r\n${head('name="path"')}${path}\r\n--${boundary}--\r\n`
  return { body: Buffer.from(text), headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}

/** Each file route with a path, which may be spelled for the query already. */
const routes: Record<string, (path: string) => Promise<Answer>> = {
  listSandboxFiles: (path) => team.call(`GET ${files}?path=${path}`),
  getSandboxFileContent: (path) => team.call(`GET ${files}/content?path=${path}`),
  deleteSandboxFile: (path) => team.call(`DELETE ${files}?path=${path}`),
  uploadSandboxFile: (path) => team.call(`POST ${files}?path=${path}`, { body: 'text' }),
  listRunSandboxFiles: (path) => team.call(`GET /v2/agents/${agentId}/runs/${runId}/sandbox/files?path=${path}`),
  getRunSandboxFileContent: (path) =>
    team.call(`GET /v2/agents/${agentId}/runs/${runId}/sandbox/files/content?path=${path}`),
  listRunSandboxFilesByRun: (path) => team.call(`GET /v2/runs/${runId}/sandbox/files?path=${path}`),
  getRunSandboxFileContentByRun: (path) => team.call(`GET /v2/runs/${runId}/sandbox/files/content?path=${path}`),
}

const rowsOf = () => sql`
  select path, encode(sha256, 'hex') as sha256, until_step, kind from workspace_files where team_id = ${team.id} order by path, from_step, id`

/** So many at a time that it is quick, and so few that nobody waits for a connection. */
async function inLanes<T>(list: T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = list.values()
  const lane = async () => {
    for (const one of left) await work(one)
  }
  await Promise.all(Array.from({ length: 8 }, lane))
}

/** What a lone surrogate becomes in UTF-8 is another character, and a good name. */
const sendable = allHostile.filter((path) => path.isWellFormed())

/** The short form deals the paths out, so that two routes get each of them: one rule judges them all, and has a test with all of them. */
const dealtTo = (place: number): string[] =>
  sendable.filter((path, index) => isLongForm || roadsToCanary.includes(path) || index % 4 === place % 4)

provesTogether('files.escape', `${allHostile.length} hostile paths`, () => {
  for (const [place, [name, call]] of Object.entries(routes).entries()) {
    test(`are all the same 404 to ${name}, and change nothing`, async () => {
      assert.ok(sendable.length >= 300)
      const rowsBefore = await rowsOf()
      const nothingThere = await routes['getSandboxFileContent']!('no-such-file')
      await inLanes(dealtTo(place), async (path) => {
        const answer = await call(encodeURIComponent(path))
        assert.equal(answer.status, 404, JSON.stringify(path))
        assert.equal(answer.text, nothingThere.text)
      })
      for (const raw of unreadablePaths) assert.equal((await call(raw)).status, 400, raw)
      assert.deepEqual(await rowsOf(), rowsBefore)
    })
  }

  test('are all the same 404 as the path of a form', async () => {
    const rowsBefore = await rowsOf()
    await inLanes(dealtTo(0), async (path) => {
      const answer = await team.call(`POST ${files}`, formWith(path))
      // a form whose line breaks are in the path is another form
      assert.ok(answer.status === 404 || (/[\r\n]/.test(path) && answer.status === 400), JSON.stringify(path))
    })
    assert.deepEqual(await rowsOf(), rowsBefore)
  })

  test('get no upload address, whether or not they are text', async () => {
    const unsendable = allHostile.filter((path) => !path.isWellFormed())
    await inLanes([...dealtTo(1), ...unsendable], async (path) => {
      const answer = await team.call(`POST /v2/sandboxes/${sandboxId}/upload-urls`, { body: { path } })
      const isText = path.isWellFormed() && !path.includes('\u0000')
      assert.equal(answer.status, isText ? 404 : 400, JSON.stringify(path))
    })
    assert.deepEqual(await sql`select from file_uploads where sandbox_id = ${sandboxId}`, [])
  })

  test('cannot be put into an address that was signed for another path', async () => {
    const { body: made } = await team.call(`POST /v2/sandboxes/${sandboxId}/upload-urls`, { body: { path: 'fine' } })
    const { body: found } = await team.call(`GET ${files}/content?path=out/report.md`)
    const rowsBefore = await rowsOf()
    await inLanes(dealtTo(2), async (path) => {
      const spelled = encodeURIComponent(path)
      for (const [method, url, part] of [
        ['PUT', made.upload_url, 'path=%2Fworkspace%2Ffine'],
        ['GET', found.download_url, 'path=%2Fworkspace%2Fout%2Freport.md'],
        ['GET', found.download_url, 'report.md?'],
      ] as [string, string, string][]) {
        assert.ok(url.includes(part))
        const changed = url.replace(part, part.endsWith('?') ? `${spelled}?` : `path=${spelled}`)
        const answer = await service.call(`${method} ${changed.replace(/^http:\/\/[^/]+/, '')}`)
        // a path of dots alone is another address to whoever tidies it up
        assert.ok(answer.status === 403 || answer.status === 404, `${answer.status} ${path}`)
      }
    })
    assert.deepEqual(await rowsOf(), rowsBefore)
  })

  test('brought out no byte of the file outside, and no failure', async () => {
    assert.equal(await readFile(canaryPath, 'utf8'), canary)
    assert.deepEqual(
      service.logged.filter((line) => line.includes(canary) || /"level":"(error|fatal)"/.test(line)),
      [],
    )
  })
})

provesTogether('files.links', 'a link in a workspace', () => {
  const links: [string, string][] = [
    ['to-canary', canaryPath],
    ['to-folder', outside],
    ['to-root', '/'],
    ['to-above', '../../..'],
    ['to-report', 'out/report.md'],
    ['deep/to-above', '../..'],
  ]
  before(async () => {
    // what the rows say is also true on the disk, so that whoever followed one would get there
    await symlink(canaryPath, join(outside, 'to-canary'))
    for (const [name, target] of links) {
      for (const own of [
        sandboxId,
        (await sql<{ id: string }>`select id from sandboxes where run_id = ${runId}`)[0]!.id,
      ]) {
        await sql`
          insert into workspace_files (id, team_id, sandbox_id, path, kind, link_target, size_bytes, from_step)
          values (${newId()}, ${team.id}, ${own}, ${`/workspace/${name}`}, 'link', ${target}, 0, 0)`
      }
    }
  })

  test('is not listed', async () => {
    const { body } = await routes['listSandboxFiles']!('')
    const names = body.files.map(({ name }: { name: string }) => name)
    assert.deepEqual(names, ['out'])
  })

  test('is never followed: not read, not listed, not deleted, and nothing is below it', async () => {
    const nothingThere = await routes['getSandboxFileContent']!('no-such-file')
    const reading = Object.entries(routes).filter(([name]) => name !== 'uploadSandboxFile')
    for (const [name] of links) {
      for (const path of [name, `${name}/`, `${name}/canary`, `${name}/etc/passwd`]) {
        for (const [route, call] of reading) {
          assert.equal((await call(encodeURIComponent(path))).text, nothingThere.text, `${route} ${path}`)
        }
      }
      const below = await routes['uploadSandboxFile']!(`${name}/canary`)
      assert.equal(below.status, 400)
    }
  })

  test('gives its name to a file that is uploaded, and what it pointed to stays as it was', async () => {
    assert.equal((await routes['uploadSandboxFile']!('to-canary')).status, 201)
    assert.equal((await routes['getSandboxFileContent']!('to-canary')).body.content, 'text')
    assert.equal((await routes['uploadSandboxFile']!('to-report')).status, 201)
    assert.equal((await routes['getSandboxFileContent']!('out/report.md')).body.content, '# Report')
    assert.equal(await readFile(canaryPath, 'utf8'), canary)
  })
})
