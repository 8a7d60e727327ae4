// Sandboxes and deliveries from the command line, against a real service in a process of its own.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startReceiver } from '../../server/test/kit/receiver.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { preparedDataDir, startService } from '../../server/test/survival/processes.ts'
import { lineWith, linesOf, printed } from './lines.ts'

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
  assert.equal((await runyard('sandbox', 'cp', folder, `${sandbox}:b`)).code, 1)
  // a path that climbs keeps only its name here
  const before = await readdir(folder)
  assert.notEqual((await runyard('sandbox', 'cp', `${sandbox}:../../escaped`, folder)).code, 0)
  assert.deepEqual(await readdir(folder), before)
})

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
