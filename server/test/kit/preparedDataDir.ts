// A data dir whose embedded database is made and migrated, and copies of it: an initdb and all migrations take 2 s of work each time.
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readFacts, replaceFacts } from '../../src/base/postgres/facts.ts'
import { freePort } from '../../src/base/postgres/server.ts'

const run = promisify(execFile)
const handedOn = 'RUNYARD_TEST_PREPARED_DATA_DIR'

/**
 * Keeps a copy of a data dir whose server is stopped; its path travels to the test processes in their environment. There is none
 * where the database lies outside of its data dir (a checkout that PostgreSQL's user cannot enter).
 */
export async function keepPreparedDataDir(dataDir: string): Promise<{ remove: () => Promise<void> }> {
  if (readFacts(dataDir)?.place !== 'postgres') return { remove: async () => undefined }
  const kept = await mkdtemp(join(tmpdir(), 'runyard-prepared-'))
  await run('cp', ['-a', `${dataDir}/.`, kept])
  process.env[handedOn] = kept
  return {
    async remove() {
      delete process.env[handedOn]
      await rm(kept, { recursive: true, force: true })
    },
  }
}

/** Makes `dataDir` a copy with a port of its own. Where none was kept, it becomes an empty folder, and its first start does the work. */
export async function copyPreparedDataDir(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  // passable for the user that PostgreSQL runs as when the tests run as root
  await chmod(dataDir, 0o711)
  const kept = process.env[handedOn]
  if (kept === undefined) return
  await run('cp', ['-a', `${kept}/.`, dataDir])
  await replaceFacts(dataDir, { ...readFacts(dataDir)!, port: await freePort() })
}
