// Sandboxes and deliveries from the command line, against a real service in a process of its own.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startReceiver } from '../../server/test/kit/receiver.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { preparedDataDir, startService } from '../../server/test/survival/processes.ts'
import { lineWith, linesOf, printed } from './lines.ts'
import { requireFit } from './service.ts'

const folder = await mkdtemp(join(tmpdir(), 'runyard-sandbox-'))
const dataDir = await preparedDataDir()
const service = await startService({ dataDir: dataDir.path, env: { RUNYARD_ALLOW_PRIVATE_HOSTS: '127.0.0.1' } })
const env = { HOME: folder, RUNYARD_URL: service.baseUrl, RUNYARD_API_KEY: service.key }
after(async () => {
  await service.stop()
  await rm(folder, { recursive: true })
  await dataDir.remove()
})
const runyard = (...line: string[]) => lineWith(line, env)

proves('cli.sandbox', 'files go in and out, and a command passes on its output and its exit code', async () => {
  const sandbox = (await printed(runyard('sandbox', 'create'))).trim()
  const file = join(folder, 'in.bin')
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251))
  await writeFile(file, bytes)
  await printed(runyard('sandbox', 'cp', file, `${sandbox}:a/`))
  await printed(runyard('sandbox', 'cp', `${sandbox}:a/in.bin`, join(folder, 'back.bin')))
  assert.deepEqual(await readFile(join(folder, 'back.bin')), bytes)
  const [listed = ''] = linesOf(await printed(runyard('sandbox', 'ls', sandbox, 'a', '--json')))
  assert.equal((JSON.parse(listed) as { size_bytes: number }).size_bytes, 70_000)
  const ran = await runyard('sandbox', 'exec', sandbox, 'echo out; echo err >&2; exit 7')
  assert.deepEqual([ran.code, ran.stdout, ran.stderr], [7, 'out\n', 'err\n'])
  const several = await runyard('sandbox', 'exec', sandbox, '--', 'printf', '%s|', "it's", '$HOME')
  assert.equal(several.stdout, "it's|$HOME|")
  assert.equal((await runyard('sandbox', 'cp', file, 'other')).code, 64)
  assert.match((await runyard('sandbox', 'cp', folder, `${sandbox}:b`)).stderr, /is a folder\. Copy it with -r/)
  // a path that climbs keeps only its name here
  const before = await readdir(folder)
  assert.notEqual((await runyard('sandbox', 'cp', `${sandbox}:../../escaped`, folder)).code, 0)
  assert.deepEqual(await readdir(folder), before)
})

proves('cli.sandbox', 'folders go in and out, and - is stdin or stdout', async () => {
  const sandbox = (await printed(runyard('sandbox', 'create'))).trim()
  const source = join(folder, 'source')
  await mkdir(join(source, 'deep', 'er'), { recursive: true })
  const files = { 'a.txt': 'A', 'deep/b c.txt': 'B', 'deep/er/empty': '' }
  for (const [path, text] of Object.entries(files)) await writeFile(join(source, path), text)
  await symlink('/etc/passwd', join(source, 'link'))
  const sent = await runyard('sandbox', 'cp', '-r', source, `${sandbox}:in/`)
  assert.equal(sent.stderr, `1 link or special file is left out.\n3 files are copied to ${sandbox}:in/.\n`)
  await printed(runyard('sandbox', 'cp', '-r', join(source, 'a.txt'), `${sandbox}:`))

  const back = join(folder, 'back')
  await printed(runyard('sandbox', 'cp', '-r', `${sandbox}:in/source`, back))
  await printed(runyard('sandbox', 'cp', '-r', `${sandbox}:in`, back))
  await printed(runyard('sandbox', 'cp', '-r', `${sandbox}:`, `${back}/all/`))
  await printed(runyard('sandbox', 'cp', '-r', `${sandbox}:a.txt`, join(back, 'one', '/')))
  const names = (await readdir(back, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(relative(back, entry.parentPath), entry.name))
  const of = (below: string) => Object.keys(files).map((path) => join(below, path))
  const wanted = [...of('.'), ...of('in/source'), 'all/a.txt', ...of('all/in/source'), 'one/a.txt']
  assert.deepEqual(names.toSorted(), wanted.toSorted())
  assert.equal(await readFile(join(back, 'deep', 'b c.txt'), 'utf8'), 'B')

  const piped = await lineWith(['sandbox', 'cp', '-', `${sandbox}:piped`], env, 'from stdin\u0000')
  assert.equal(piped.code, 0, piped.stderr)
  const read = await runyard('sandbox', 'cp', `${sandbox}:piped`, '-')
  assert.deepEqual([read.stdout, read.stderr], ['from stdin\u0000', ''])
  for (const wrong of [
    ['-', `${sandbox}:in/`],
    ['-r', '-', `${sandbox}:in`],
    [`${sandbox}:`, back],
  ]) {
    assert.equal((await runyard('sandbox', 'cp', ...wrong)).code, 64, wrong.join(' '))
  }
})

proves('cli.sandbox', 'no name from a sandbox leads out of the folder, or to a part of a copy', async () => {
  let name = ''
  const hostile = createServer((request, response) => {
    const files = [
      { name: 'good', type: 'dir', size_bytes: 1 },
      { name, type: 'dir', size_bytes: 1 },
    ]
    const isRoot = !request.url?.includes('path=')
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ files: isRoot || name === 'endless' ? files : [] }))
  }).listen(0, '127.0.0.1')
  await once(hostile, 'listening')
  const url = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`
  const target = join(folder, 'victim', 'target')
  const hostileSandbox = '01a1e6b2-ccad-7ef7-b09c-dc2342353ebb'
  for (name of ['..', '.', '', '../x', '/etc/x', 'a\\..\\b', 'a\u0000b', 'endless']) {
    const { code, stderr } = await lineWith(['sandbox', 'cp', '-r', `${hostileSandbox}:`, target], {
      ...env,
      RUNYARD_URL: url,
    })
    assert.deepEqual([code, /is not safe here|levels/.test(stderr)], [1, true], `${name}: ${stderr}`)
  }
  hostile.close().closeAllConnections()
  await assert.rejects(stat(join(folder, 'victim')), { code: 'ENOENT' })
})

proves(
  'cli.call',
  'an operation that takes a file is given its path, and what it stored can be read back',
  async () => {
    const sandbox_id = (await printed(runyard('sandbox', 'create'))).trim()
    const file = join(folder, 'given.bin')
    const bytes = Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 7) % 256))
    await writeFile(file, bytes)
    const upload = ['call', 'uploadSandboxFile', '--sandbox-id', sandbox_id]
    const stored = await printed(runyard(...upload, '--file', file))
    assert.deepEqual(JSON.parse(stored), { path: '/workspace/given.bin', size_bytes: 3000 })
    requireFit(JSON.parse(stored), 'uploadSandboxFile')
    await printed(runyard(...upload, '--file', file, '--path', 'a/b.bin'))
    const read = ['call', 'getSandboxFileContent', '--sandbox-id', sandbox_id, '--path', 'a/b.bin']
    const { download_url } = JSON.parse(await printed(runyard(...read))) as { download_url: string }
    assert.deepEqual(Buffer.from(await (await fetch(download_url)).arrayBuffer()), bytes)
    const wrong: [string[], number, RegExp][] = [
      [[], 64, /--file must be given/],
      [['--file', join(folder, 'nothing.bin')], 1, /nothing\.bin/],
      [['--file', folder], 1, /is not a file\. For a folder: runyard sandbox cp/],
      [['--file', file, '--path', '../../up'], 1, /./],
    ]
    for (const [words, code, says] of wrong) {
      const refused = await runyard(...upload, ...words)
      assert.match(refused.stderr, says)
      assert.deepEqual([refused.code, refused.stdout, linesOf(refused.stderr).length], [code, '', 1], refused.stderr)
    }
  },
)

proves(
  'cli.deliveries',
  'a sample event is sent to webhooks, and its delivery can be read and sent again',
  async () => {
    const none = await runyard('trigger', 'run.completed')
    assert.deepEqual([none.code, none.stdout], [1, ''])
    const hooked = await startReceiver()
    await printed(runyard('call', 'createWebhook', '--url', hooked.url, '--events', '["run.completed"]'))
    const [sent = ''] = linesOf(await printed(runyard('trigger', 'run.completed', '--json')))
    const { id } = JSON.parse(sent) as { id: string }
    await hooked.got(1)
    while (!/Status +delivered/.test(await printed(runyard('deliveries', 'show', id)))) await sleep(50)
    const [row = ''] = linesOf(await printed(runyard('deliveries', '--since', '1d', '--json')))
    assert.equal((JSON.parse(row) as { id: string }).id, id)
    assert.equal(await printed(runyard('deliveries', '--failed')), '')
    assert.equal(await printed(runyard('deliveries', 'resend', id)), '1 delivery is sent again.\n')
    assert.equal((await hooked.got(2))[1]?.body.toString(), hooked.received[0]?.body.toString())
    const resent = await printed(runyard('deliveries', 'resend', '--failed', '--since', '2h'))
    assert.equal(resent, '0 deliveries are sent again.\n')
    for (const wrong of [[], ['--failed'], [id, '--failed', '--since', '1h'], ['--failed', '--since', 'then']]) {
      assert.equal((await runyard('deliveries', 'resend', ...wrong)).code, 64)
    }
  },
)
