// runyard doctor: looks at everything a Runyard needs and says, line by line, what to do about what is wrong.
import { reasonOf } from '../base/databaseRefused.ts'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { browser } from './checks/browser.ts'
import { blobs } from './checks/blobs.ts'
import { clock, commits, encryptionKey, migrations, pooler, processes, reachable, role } from './checks/database.ts'
import { problem, type Check, type DatabaseCheck, type Finding, type Scene } from './checks/check.ts'
import { growth } from './checks/growth.ts'
import { mail } from './checks/mail.ts'
import { dataDir, diskSpace, nodeVersion, openFiles, settings } from './checks/machine.ts'
import { port } from './checks/port.ts'
import { sandbox } from './checks/sandbox.ts'
import type { Call } from './command.ts'
import { joinDatabase, type Joined } from './joinDatabase.ts'

/** In the order of the table. What a later feature depends on gets its line here. */
const checks: (Check | DatabaseCheck)[] = [
  nodeVersion,
  settings,
  dataDir,
  diskSpace,
  openFiles,
  port,
  reachable,
  pooler,
  migrations,
  encryptionKey,
  role,
  clock,
  commits,
  processes,
  growth,
  blobs,
  sandbox,
  browser,
  mail,
]

export async function doctor(call: Call): Promise<number> {
  const { database, databaseFailure } = await tryDatabase(call)
  const scene: Scene = { config: call.config, env: process.env, database, databaseFailure }
  const rows: (Finding & { name: string })[] = []
  try {
    for (const check of checks) {
      const finding = await run(check, scene)
      if (finding) rows.push({ name: check.name, ...finding })
    }
  } finally {
    await database?.leave()
  }
  const width = Math.max(...rows.map(({ name }) => name.length))
  for (const { state, name, says } of rows) call.print(`${state.padEnd(7)}  ${name.padEnd(width)}  ${says}`)
  return rows.some(({ state }) => state === 'problem') ? 1 : 0
}

/** Looking changes nothing: where no start has made a database yet, none is made. */
async function tryDatabase({
  config,
  log,
}: Call): Promise<{ database: Joined | undefined; databaseFailure: string | undefined }> {
  try {
    if (config.databaseUrl === undefined && !(await isThere(join(config.dataDir, 'postgres.json')))) {
      return { database: undefined, databaseFailure: undefined }
    }
    return { database: await joinDatabase({ config, log, role: 'doctor' }), databaseFailure: undefined }
  } catch (error) {
    return { database: undefined, databaseFailure: reasonOf(error) }
  }
}

async function run(check: Check | DatabaseCheck, scene: Scene): Promise<Finding | undefined> {
  try {
    if ('run' in check) return await check.run(scene)
    return scene.database && (await check.runOn(scene.database, scene))
  } catch (error) {
    // one check that cannot look must not hide what the others see
    return problem(`could not be checked: ${reasonOf(error)}`)
  }
}

async function isThere(path: string): Promise<boolean> {
  try {
    await access(path)
    return true
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return false
    throw error
  }
}
