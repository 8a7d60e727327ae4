// npm run survive: the long survival proofs, one after another on a quiet machine, printed as a table and recorded in docs/proofs/survival.json.
import { execFileSync } from 'node:child_process'
import { Client } from 'pg'
import { embeddedPostgres } from '../../src/base/embeddedPostgres.ts'
import { alertProof } from './alerts.ts'
import { artifactProofs } from './artifacts.ts'
import { badReceiverProof } from './badReceivers.ts'
import { brokenConnectionProof } from './brokenConnection.ts'
import { builderProof } from './builder.ts'
import { deliveryProof } from './deliveries.ts'
import { caseProof } from './cases.ts'
import { changingKeyProof } from './changingKey.ts'
import { cliImportProof } from './cliImport.ts'
import { cliListenProof } from './cliListen.ts'
import { drillProof } from './drill.ts'
import { killEverything } from './durability.ts'
import { hostileProofs } from './hostile/hostile.ts'
import { crowdOnOneKey, killMidRequest } from './idempotency.ts'
import { largeTablesProof } from './largeTables.ts'
import { longWorkProof } from './longWork.ts'
import { mailProof } from './mails.ts'
import { newcomerProof } from './newcomer.ts'
import { objectStorageProofs } from './objectStorage.ts'
import { startService, temporaryDataDir, type Service, type StartOptions } from './processes.ts'
import type { Proof } from './proof.ts'
import { promoteProof } from './promotes.ts'
import { rateLimitOver, type RateLimited } from './rateLimit.ts'
import { recordProof, tableCell } from './record.ts'
import { refreshProof } from './refresh.ts'
import { replayProof } from './replays.ts'
import { replicatedProofs } from './replicated.ts'
import { rotationProof } from './rotations.ts'
import { routeProof } from './routes.ts'
import { runProofs } from './runProofs.ts'
import { scheduleProof } from './schedules.ts'
import { sdkProofs } from './sdk.ts'
import { sideBySideProof } from './sideBySide.ts'
import { createJobTable, killWorkers } from './takeover.ts'
import { testFileProofs } from './testFiles.ts'
import { triggerProof } from './triggers.ts'
import { upgradeProof } from './upgrade.ts'
import { uploadProof } from './uploads.ts'
import { usageProof } from './usage.ts'
import { workspaceProof } from './workspaces.ts'

const quiet = { LOG_LEVEL: 'error' }

/** Starts so many API processes on one data dir, hands them over, and stops them. */
async function withApis<T>(
  options: StartOptions,
  count: number,
  work: (services: Service[]) => Promise<T>,
): Promise<T> {
  const services: Service[] = []
  try {
    for (let i = 0; i < count; i++) services.push(await startService({ ...options, args: ['--role', 'api'] }))
    return await work(services)
  } finally {
    for (const service of services) await service.stop('SIGINT')
  }
}

async function databaseUrlOf(dataDir: string): Promise<string> {
  const { host, port, user, password, database } = (await embeddedPostgres({ dataDir, log: () => undefined })).address()
  return `postgres://${user}:${password}@${host}:${port}/${database}`
}

const rateLimitProof = (limit: number): Proof => ({
  name: `${limit} requests a minute, one credential, 3 processes`,
  must: `admitted ${Math.ceil(limit * 0.95)} to ${Math.floor(limit * 1.01 + 3)}; 429s write 0 rows; admitted after Retry-After`,
  run: (dataDir) =>
    withApis({ dataDir, env: { ...quiet, RUNYARD_RATE_LIMIT: String(limit) } }, 3, async (services) => {
      const options = { limit, beyond: Math.max(60, limit / 4), sleepRetryAfter: true, countRows: true }
      const counts: RateLimited = await rateLimitOver(services, await databaseUrlOf(dataDir), options)
      const isInRange = counts.admitted <= limit * 1.01 + 3 && counts.admitted >= limit * 0.95
      const wroteNothing = counts.tablesWrittenBy429s.length === 0 && counts.rowsWrittenBy429s === 0
      return { counts, holds: isInRange && wroteNothing && counts.admittedAfterRetryAfter === true }
    }),
})

const proofs: Proof[] = [
  {
    name: 'kill -9 of the service and PostgreSQL during writes',
    must: '0 acknowledged writes lost, the server comes back by itself',
    async run(dataDir) {
      const counts = await killEverything(dataDir, { rounds: 10, writesPerRound: 300 })
      return { counts, holds: counts.lost === 0 }
    },
  },
  {
    name: '100 concurrent same-key writes over 2 API processes, 50 rounds',
    must: '50 effects, the rest byte-equal replays or 409',
    run: (dataDir) =>
      withApis({ dataDir, env: { ...quiet, RUNYARD_RATE_LIMIT: '0' } }, 2, async (services) => {
        const counts = await crowdOnOneKey(services)
        return { counts, holds: counts.effects === 50 && counts.other === 0 }
      }),
  },
  {
    name: 'kill -9 in the middle of a keyed write, then the retry elsewhere',
    must: 'one effect and one answer for every key',
    run: (dataDir) =>
      withApis({ dataDir, env: { ...quiet, RUNYARD_RATE_LIMIT: '0' } }, 1, async ([survivor]) => {
        const victim = { dataDir, env: { ...quiet, RUNYARD_RATE_LIMIT: '0' }, args: ['--role', 'api'] }
        const counts = await killMidRequest(survivor!, victim, { kills: 50 })
        return { counts, holds: counts.single === counts.kills }
      }),
  },
  {
    name: 'kill -9 of the worker that runs a job',
    must: 'every job taken over, p50 < 1500 ms, p99 < 5000 ms',
    run: (dataDir) =>
      withApis({ dataDir, env: quiet }, 1, async () => {
        const client = new Client(await databaseUrlOf(dataDir))
        await client.connect()
        await createJobTable(client)
        const counts = await killWorkers(client, { dataDir, env: { ...quiet, PORT: '' } }, { kills: 30 })
        await client.end()
        return { counts, holds: counts.takenOver === counts.kills && counts.p50Ms < 1500 && counts.p99Ms < 5000 }
      }),
  },
  ...runProofs,
  drillProof,
  ...replicatedProofs,
  rateLimitProof(60),
  rateLimitProof(6000),
  promoteProof,
  deliveryProof,
  badReceiverProof,
  rotationProof,
  mailProof,
  alertProof,
  scheduleProof,
  triggerProof,
  ...artifactProofs,
  builderProof,
  replayProof,
  uploadProof,
  ...objectStorageProofs,
  workspaceProof,
  caseProof,
  cliImportProof,
  cliListenProof,
  refreshProof,
  brokenConnectionProof,
  changingKeyProof,
  usageProof,
  routeProof,
  longWorkProof,
  sideBySideProof,
  ...sdkProofs,
  newcomerProof,
  upgradeProof,
  largeTablesProof,
  ...testFileProofs,
  ...hostileProofs,
]

/** A proof that throws does not hold. The others are run all the same, so that one night tells about all of them. */
function broken(error: unknown): { counts: object; holds: boolean } {
  console.error(error)
  return { counts: { error: String(error) }, holds: false }
}

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
const wanted = process.argv.slice(2)
const chosen = proofs.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
const date = new Date().toISOString().slice(0, 10)
console.log(`Survival proofs at ${commit}, ${date}\n`)
console.log('| Proof | Must show | Seen | Holds |\n|---|---|---|---|')
for (const { name, must, missing, run } of chosen) {
  const lacking = missing?.()
  if (lacking !== undefined) {
    console.log(`| ${name} | ${must} | skipped: ${lacking} | |`)
    continue
  }
  const dataDir = await temporaryDataDir()
  const began = Date.now()
  const { counts, holds } = await run(dataDir.path).catch(broken)
  const seconds = Math.round((Date.now() - began) / 1000)
  console.log(`| ${name} | ${must} | ${tableCell({ counts, holds })} (${seconds} s) | ${holds ? 'yes' : 'NO'} |`)
  await recordProof(name, { commit, date, holds, counts })
  if (!holds) process.exitCode = 1
  // what a proof that threw has left running may still write there
  await dataDir.remove().catch(console.error)
}
