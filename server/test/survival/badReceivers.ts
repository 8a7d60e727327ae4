// Proof: a receiver that hangs and one that is hostile cost the others nothing, and the service next to no memory.
import { execFileSync } from 'node:child_process'
import { createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { startHookReceiver } from '../../src/drill/hookReceiver.ts'
import { percentile, type Service } from './processes.ts'
import type { Proof } from './proof.ts'
import { block, bodyOf, openYard, until, untilQuiet, type Yard } from './yard.ts'

export interface BadReceivers {
  targets: number
  events: number
  /** From an event to the begin of its first attempt, at the good receivers: before, and while the others were there. */
  aloneP50Ms: number
  aloneP99Ms: number
  besideP50Ms: number
  besideP99Ms: number
  /** Must be 0. */
  lost: number
  /** Requests that the bad ones got. */
  hung: number
  hostile: Record<string, number>
  rssGrewMb: number
}

interface Options {
  good: number
  runsEach: number
  /** Between two runs. */
  everyMs: number
}

const head = 'HTTP/1.1 200 OK\r\n'
const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024))

/** What a hostile receiver may answer, by its name; each gets the connection for itself. */
const answers: Record<string, (socket: Socket) => void> = {
  endless(socket) {
    socket.write(`${head}content-length: 1000000000\r\n\r\n`)
    const block64 = Buffer.alloc(65_536, 'x')
    const more = () => {
      while (!socket.destroyed && socket.write(block64));
    }
    socket.on('drain', more)
    more()
  },
  drip(socket) {
    socket.write(`${head}content-length: 1000\r\n\r\n`)
    const timer = setInterval(() => socket.write('x'), 100)
    socket.on('close', () => clearInterval(timer))
  },
  dripOfHeaders(socket) {
    socket.write(head)
    const timer = setInterval(() => socket.write('x-a: b\r\n'), 100)
    socket.on('close', () => clearInterval(timer))
  },
  manyHeaders(socket) {
    socket.end(`${head}${Array.from({ length: 1000 }, (_, n) => `x-header-${n}: ${'v'.repeat(50)}\r\n`).join('')}\r\n`)
  },
  noHttp: (socket) => void socket.end('\0\0\0 this is not HTTP at all\r\n\r\n'),
  redirect: (socket) => void socket.end('HTTP/1.1 302 Found\r\nlocation: /again\r\ncontent-length: 0\r\n\r\n'),
  gzipBomb(socket) {
    socket.write(`${head}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`)
    socket.end(bomb)
  },
  nothing: (socket) => void socket.end(),
}

async function listen(onRequest: (socket: Socket) => void): Promise<{ server: Server; url: string }> {
  const server = createServer((socket) => {
    // its end is what is wanted of it
    socket.on('error', () => undefined)
    socket.once('data', () => onRequest(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const rssMb = ({ pid }: Service): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024

export async function sufferBadReceivers(yard: Yard, options: Options): Promise<BadReceivers> {
  const { sql } = yard
  const [worker] = yard.workers
  const teamId = yard.apis[0]!.teamId
  const good = await startHookReceiver()
  const hostile: Record<string, number> = {}
  let hung = 0
  let turn = 0
  const hanging = await listen((socket) => {
    hung += 1
    setTimeout(() => socket.end(`${head}content-length: 0\r\n\r\n`), 14_900).unref()
  })
  const enemy = await listen((socket) => {
    const names = Object.keys(answers)
    const name = names[turn++ % names.length]!
    hostile[name] = (hostile[name] ?? 0) + 1
    answers[name]!(socket)
  })
  const subscribe = async (url: string) =>
    bodyOf(await yard.call({ method: 'POST', path: `/v2/teams/${teamId}/webhooks`, body: { url, events: ['*'] } }))[
      'subscription_id'
    ] as string
  const ids: string[] = []
  for (let n = 0; n < options.good; n++) ids.push(await subscribe(`${good.url}/${n}`))
  const agentId = await yard.newAgent(block('output', 'done'))

  async function stretch(everyMs = options.everyMs): Promise<number[]> {
    const [before] = await sql<{ n: string }>`select coalesce(max(n), 0) as n from every_delivery`
    for (let n = 0; n < options.runsEach; n++) {
      await Promise.all([yard.startRun(agentId), sleep(everyMs)])
    }
    await untilQuiet(yard)
    const left = async () =>
      Number(
        (
          await sql<{ count: string }>`
            select count(*) from every_delivery where target_id = any(${ids}::uuid[]) and state <> 'delivered'`
        )[0]!.count,
      )
    await until('the good ones have everything', left, (count) => count === 0, { everyMs: 100 })
    const rows = await sql<{ ms: number }>`
      select extract(epoch from (log -> 0 ->> 'at')::timestamptz - created_at)::float8 * 1000 as ms
      from every_delivery where target_id = any(${ids}::uuid[]) and n > ${before!.n}`
    return rows.map(({ ms }) => ms)
  }

  // under load a process takes what V8 wants and keeps it until it rests (decision 0058): what the bad ones take comes on top of that
  for (let n = 0; n < 3; n++) await stretch(1)
  const alone = await stretch()
  const rssBefore = rssMb(worker!)
  await subscribe(hanging.url)
  await subscribe(enemy.url)
  // the breaker would soon spare the service most of it
  const pestering = setInterval(
    () =>
      void sql`update delivery_targets set paused_until = null, failures = 0 where not (id = any(${ids}::uuid[])) and worker is null`,
    200,
  )
  const beside = await stretch()
  const wereAsked = async () => hung > 0 && Object.keys(hostile).length > 0
  await until('the bad ones were asked', wereAsked, (were) => were)
  const rssAfter = rssMb(worker!)
  clearInterval(pestering)
  const [events] = await sql<{ count: string }>`
    select count(*) from events where created_at >= (select max(created_at) from delivery_targets where id = any(${ids}::uuid[]))`
  const arrived = new Set(good.arrivals.map(({ id }) => id)).size
  await good.down()
  hanging.server.close()
  enemy.server.close()
  return {
    targets: options.good + 2,
    events: Number(events!.count),
    aloneP50Ms: Math.round(percentile(alone, 50)),
    aloneP99Ms: Math.round(percentile(alone, 99)),
    besideP50Ms: Math.round(percentile(beside, 50)),
    besideP99Ms: Math.round(percentile(beside, 99)),
    lost: Number(events!.count) * options.good - arrived,
    hung,
    hostile,
    rssGrewMb: Math.round(rssAfter - rssBefore),
  }
}

export const isUnmoved = (seen: BadReceivers): boolean =>
  seen.lost === 0 &&
  seen.hung > 0 &&
  Object.keys(seen.hostile).length === Object.keys(answers).length &&
  seen.besideP50Ms <= seen.aloneP50Ms + 10 &&
  seen.besideP99Ms <= Math.max(2 * seen.aloneP99Ms, seen.aloneP99Ms + 50)

export const badReceiverProof: Proof = {
  name: 'one receiver that hangs 15 s a call and a hostile one, among 20',
  must: 'the others’ first attempts as soon as without them, 0 lost, memory of the process grows by less than 20 MB',
  async run(dataDir) {
    const yard = await openYard({ options: { dataDir, env: { LOG_LEVEL: 'error' } }, workers: 1 })
    try {
      const counts = await sufferBadReceivers(yard, { good: 18, runsEach: 300, everyMs: 100 })
      return { counts, holds: isUnmoved(counts) && counts.rssGrewMb < 20 }
    } finally {
      await yard.close()
    }
  },
}
