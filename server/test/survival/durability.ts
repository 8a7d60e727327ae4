// Proof: what was acknowledged is there after kill -9 of everything, and the embedded server comes back by itself.
import { setTimeout as sleep } from 'node:timers/promises'
import { embeddedPostgres } from '../../src/base/embeddedPostgres.ts'
import { newId } from '../../src/base/ids.ts'
import { signalTree } from './processTree.ts'
import { send, startService, type Service } from './processes.ts'

export interface Durable {
  rounds: number
  acknowledged: number
  lost: number
  /** From starting the process again to its first answer, in ms, the slowest. */
  slowestRestartMs: number
}

/** Writes until told, then the process and the whole PostgreSQL tree are killed at once; the next start must know every answer. */
export async function killEverything(dataDir: string, { rounds = 3, writesPerRound = 200 } = {}): Promise<Durable> {
  const seen: Durable = { rounds, acknowledged: 0, lost: 0, slowestRestartMs: 0 }
  const acknowledged: string[] = []
  let service = await startService({ dataDir, env: { RUNYARD_RATE_LIMIT: '0', LOG_LEVEL: 'error' } })
  for (let round = 0; round < rounds; round++) {
    const writers = Array.from({ length: 8 }, () => write(service, acknowledged))
    await until(() => acknowledged.length >= (round + 1) * writesPerRound)
    await killTree(service)
    await Promise.all(writers)
    const startedAt = performance.now()
    service = await startService({ dataDir, env: { RUNYARD_RATE_LIMIT: '0', LOG_LEVEL: 'error' } })
    seen.slowestRestartMs = Math.max(seen.slowestRestartMs, Math.round(performance.now() - startedAt))
    const present = await memberNames(service)
    seen.lost = acknowledged.filter((name) => !present.has(name)).length
  }
  seen.acknowledged = acknowledged.length
  await service.stop('SIGINT')
  return seen
}

/** Writes one after another until the connection breaks: only answered writes count. */
async function write(service: Service, acknowledged: string[]): Promise<void> {
  for (;;) {
    const name = newId()
    try {
      const answer = await send(service.baseUrl, {
        method: 'POST',
        path: `/v2/teams/${service.teamId}/members`,
        key: service.key,
        body: { name },
      })
      // anything else was not acknowledged: a busy machine may fail a write before it is killed
      if (answer.status === 201) acknowledged.push(name)
    } catch {
      return // killed: what this request did was never acknowledged
    }
  }
}

async function memberNames(service: Service): Promise<Set<string>> {
  const names = new Set<string>()
  for (let offset = 0; ; offset += 200) {
    const path = `/v2/teams/${service.teamId}/members?limit=200&offset=${offset}`
    const { members } = JSON.parse((await send(service.baseUrl, { path, key: service.key })).text) as {
      members: { name: string }[]
    }
    for (const { name } of members) names.add(name)
    if (members.length < 200) return names
  }
}

async function killTree(service: Service): Promise<void> {
  const postmaster = await postmasterOf(service.dataDir)
  service.child.kill('SIGKILL')
  await signalTree(postmaster, 'SIGKILL')
  await service.stop('SIGKILL')
}

async function postmasterOf(dataDir: string): Promise<number> {
  const server = await embeddedPostgres({ dataDir, log: () => undefined })
  const postmaster = server.serverPid()
  if (!postmaster) throw new Error('the embedded PostgreSQL does not run')
  return postmaster
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}
