// Proof: one Idempotency-Key is one effect, over two API processes, in a crowd and through kill -9.
import { newId } from '../../src/base/ids.ts'
import { send, startService, type HttpAnswer, type Service } from './processes.ts'

export interface Crowd {
  rounds: number
  effects: number
  /** Answers whose bytes are those of the first. */
  same: number
  busy: number
  /** Anything else: must be 0. */
  other: number
}

const memberPath = (service: Service) => `/v2/teams/${service.teamId}/members`

async function membersNamed(service: Service, name: string): Promise<number> {
  const { text } = await send(service.baseUrl, { path: `${memberPath(service)}?limit=200`, key: service.key })
  const { members, total } = JSON.parse(text) as { members: { name: string }[]; total: number }
  if (total > 200) throw new Error('the list is longer than one page')
  return members.filter((member) => member.name === name).length
}

async function removeMembersNamed(service: Service, name: string): Promise<void> {
  const { text } = await send(service.baseUrl, { path: `${memberPath(service)}?limit=200`, key: service.key })
  const { members } = JSON.parse(text) as { members: { id: string; name: string }[] }
  for (const member of members.filter((one) => one.name === name)) {
    await send(service.baseUrl, { method: 'DELETE', path: `${memberPath(service)}/${member.id}`, key: service.key })
  }
}

/** An operation with an effect that can be counted, once for each round. */
export interface Keyed {
  path: (service: Service) => string
  body: (name: string) => object
  count: (service: Service, name: string) => Promise<number>
}

const createMember: Keyed = {
  path: memberPath,
  body: (name) => ({ name }),
  async count(service, name) {
    const found = await membersNamed(service, name)
    await removeMembersNamed(service, name)
    return found
  },
}

/** So many concurrent requests with one key in every round, shared out over the processes. */
export async function crowdOnOneKey(
  services: Service[],
  { rounds = 50, concurrent = 100, keyed = createMember } = {},
): Promise<Crowd> {
  const seen: Crowd = { rounds, effects: 0, same: 0, busy: 0, other: 0 }
  for (let round = 0; round < rounds; round++) {
    const name = `crowd ${newId()}`
    const idempotencyKey = newId()
    const answers = await Promise.all(
      Array.from({ length: concurrent }, (_, index) => {
        const service = services[index % services.length]!
        const { path, body } = keyed
        return send(service.baseUrl, {
          method: 'POST',
          path: path(service),
          key: service.key,
          body: body(name),
          idempotencyKey,
        })
      }),
    )
    const first = answers.find(({ status }) => status === 201)
    for (const answer of answers) judge(seen, answer, first)
    seen.effects += await keyed.count(services[0]!, name)
  }
  return seen
}

function judge(seen: Crowd, answer: HttpAnswer, first: HttpAnswer | undefined): void {
  if (first && answer.status === 201 && answer.text === first.text) seen.same += 1
  else if (answer.status === 409 && answer.text.includes('idempotency_key_in_use')) seen.busy += 1
  else seen.other += 1
}

interface Killed {
  kills: number
  /** The killed process had answered before it died. */
  answered: number
  /** The retry was a replay: the effect had been committed before the kill. */
  replayed: number
  /** Keys with exactly one effect after the retry: must be all. */
  single: number
}

/** Kills a process a few ms into a keyed write, then sends the same request to another process. */
export async function killMidRequest(
  survivor: Service,
  victimOptions: Parameters<typeof startService>[0],
  { kills = 10 } = {},
): Promise<Killed> {
  const seen: Killed = { kills, answered: 0, replayed: 0, single: 0 }
  for (let round = 0; round < kills; round++) {
    const victim = await startService(victimOptions)
    const name = `killed ${newId()}`
    const write = {
      method: 'POST',
      path: memberPath(survivor),
      key: survivor.key,
      body: { name },
      idempotencyKey: newId(),
    }
    const typicalMs = await timed(() => removeAfter(victim, survivor, write))
    const first = send(victim.baseUrl, write).then(
      () => true,
      () => false,
    )
    // from the very beginning to past the end of a write, so that kills fall before, into and behind its commit
    await spin(((round + 0.5) / kills) * 1.5 * typicalMs)
    await victim.stop('SIGKILL')
    if (await first) seen.answered += 1
    const retry = await send(survivor.baseUrl, write)
    if (retry.headers['idempotency-replayed']) seen.replayed += 1
    if (retry.status === 201 && (await membersNamed(survivor, name)) === 1) seen.single += 1
  }
  return seen
}

/** The same write under another name and key, twice: the first warms the process up, the second is timed. */
async function timed(work: () => Promise<number>): Promise<number> {
  await work()
  return work()
}

async function removeAfter(victim: Service, survivor: Service, write: Parameters<typeof send>[1]): Promise<number> {
  const name = `warm up ${newId()}`
  const startedAt = performance.now()
  await send(victim.baseUrl, { ...write, body: { name }, idempotencyKey: newId() })
  const tookMs = performance.now() - startedAt
  await removeMembersNamed(survivor, name)
  return tookMs
}

/** Lets the event loop turn for so many milliseconds: finer than a timer. */
async function spin(ms: number): Promise<void> {
  const until = performance.now() + ms
  while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve))
}
