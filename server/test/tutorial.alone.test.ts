// The tutorial, typed as it is printed: its commands run in bash, beside a service that was started as the tutorial says.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectionUrl } from '../src/base/embeddedPostgres.ts'
import { readFences } from '../src/drivers/model/runbook/fences.ts'
import { testDatabase } from './kit/postgres.ts'
import { proves } from './kit/proves.ts'
import { freePort, startService, temporaryDataDir } from './survival/processes.ts'

const tutorial = fileURLToPath(new URL('../../docs/tutorial.md', import.meta.url))

const isThere = (program: string): boolean => spawnSync(program, ['--version']).error === undefined
const skip = ['bash', 'curl'].every(isThere) ? false : 'bash or curl is not installed'

/** The commands as one script. The receiver gets a port that is free here, and the script ends at the first command that fails. */
async function script(): Promise<string> {
  const { fences } = readFences(await readFile(tutorial, 'utf8'))
  const commands = fences.filter(({ info }) => info === 'sh').map(({ body }) => body)
  assert.ok(commands.length >= 10)
  return ['set -euo pipefail -m', 'trap "kill \\$(jobs -p) 2>/dev/null || true" EXIT', ...commands]
    .join('\n')
    .replaceAll('4801', String(await freePort()))
}

proves('tutorial.runs', 'the commands of the tutorial do what it says', { skip }, async (t) => {
  const dataDir = await temporaryDataDir()
  const folder = await mkdtemp(join(tmpdir(), 'runyard-tutorial-'))
  await symlink(dataDir.path, join(folder, '.runyard'))
  const service = await startService({
    dataDir: dataDir.path,
    env: { DATABASE_URL: connectionUrl(await testDatabase()), RUNYARD_ALLOW_PRIVATE_HOSTS: '127.0.0.1' },
  })
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  const shell = spawn('bash', ['-c', await script()], {
    cwd: folder,
    env: { ...process.env, PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(async () => {
    shell.kill()
    await service.stop('SIGINT')
    await dataDir.remove()
    await rm(folder, { recursive: true, force: true })
  })
  let printed = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
  const [code] = (await once(shell, 'close')) as [number | null]
  assert.equal(code, 0, printed)
  const lines = printed.split('\n')
  for (const line of [
    '"status":"completed"',
    '"status":"waiting"',
    'Order 50 reams of paper?',
    'responded',
    '50',
    'event: run.paused',
    'run.completed',
  ])
    assert.ok(lines.includes(line), `${line} is missing in:\n${printed}`)
  const preview = JSON.parse(/\{"schedule_id".*?\]\}/.exec(printed)?.[0] ?? '{}') as { next_runs?: string[] }
  assert.equal(preview.next_runs?.length, 5)
})
