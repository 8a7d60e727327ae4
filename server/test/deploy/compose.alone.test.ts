// Docker Compose itself reads the compose file, where it is installed: it needs no engine for that.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { proves } from '../kit/proves.ts'
import { repository } from './chart.ts'

const given = process.env['RUNYARD_TEST_COMPOSE']
const [program = '', ...words] = given === undefined ? ['docker', 'compose'] : [given]
const needsCompose = {
  skip: spawnSync(program, [...words, 'version']).status === 0 ? (false as const) : 'Docker Compose 2 is not installed',
}
const file = join(repository, 'deploy/docker/compose.yaml')
const config = (env: string) =>
  promisify(execFile)(program, [...words, '--env-file', env, '-f', file, '--profile', 'workers', 'config'])

proves('deploy.compose', 'Compose takes the file, and refuses it without its secrets', needsCompose, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-compose-'))
  try {
    const [whole, empty] = [join(folder, 'whole.env'), join(folder, 'empty.env')]
    await writeFile(whole, 'POSTGRES_PASSWORD=secret\nRUNYARD_ENCRYPTION_KEY=key\n')
    await writeFile(empty, '')
    const { services } = parse((await config(whole)).stdout) as {
      services: Record<string, { environment: Record<string, string> }>
    }
    assert.deepEqual(Object.keys(services).toSorted(), ['postgres', 'runyard', 'worker'])
    assert.equal(services['worker']?.environment['DATABASE_URL'], 'postgres://runyard:secret@postgres:5432/runyard')
    await assert.rejects(config(empty), /make deploy\/docker\/\.env first/)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
