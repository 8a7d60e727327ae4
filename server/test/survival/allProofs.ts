// Every survival proof, in the order in which npm run survive runs them.
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
import { startService, type Service, type StartOptions } from './processes.ts'
import type { Proof } from './proof.ts'
import { promoteProof } from './promotes.ts'
import { rateLimitOver, type RateLimited } from './rateLimit.ts'
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

export const proofs: Proof[] = [
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
