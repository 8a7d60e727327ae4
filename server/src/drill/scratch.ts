// A service for one drill, in a data dir that is removed afterwards.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { besideFile } from '../base/besideFile.ts'
import { readConfig, type Config } from '../base/config.ts'
import { startProgram } from './children.ts'
import { DrillRefused } from './ground.ts'

/** The settings with which somebody else's service would be found or used. */
const notOurs = { DATABASE_URL: '', DATABASE_POOL_URL: '', RUNYARD_ROLE: '', RUNYARD_WORKER_POOLS: '', PUBLIC_URL: '' }

/** Any other settings are those of this machine, so that what is drilled is what would run here. */
export async function withScratchService<T>(env: NodeJS.ProcessEnv, work: (config: Config) => Promise<T>): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'runyard-drill-'))
  // as root, PostgreSQL runs as somebody else
  await chmod(dataDir, 0o711)
  const settings = { ...env, ...notOurs, RUNYARD_DATA_DIR: dataDir, PORT: '', RUNYARD_DEMO: '0', LOG_LEVEL: 'error' }
  try {
    const service = await startProgram({
      entry: fileURLToPath(besideFile('../main', import.meta.url)),
      args: ['--role', 'worker'],
      env: settings,
      readySign: '└',
      endsWithUs: true,
    }).catch((error: unknown) => {
      throw new DrillRefused(
        `The scratch service did not start: ${error instanceof Error ? error.message : String(error)}`,
        { cause: error },
      )
    })
    try {
      return await work(readConfig(settings))
    } finally {
      await service.stop('SIGTERM')
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
