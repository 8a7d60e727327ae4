// Proof: senders bring webhooks, some of them twice, and a shop gets new orders, while APIs and workers are killed; each key starts one run.
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { startMcpServer } from '../fakes/mcpServer.ts'
import { Killing } from '../../src/drill/killing.ts'
import { send } from './processes.ts'
import type { Proof } from './proof.ts'
import { block, bodyOf, openYard, until, untilQuiet, type Yard } from './yard.ts'

interface TriggeredRuns {
  webhooks: number
  keys: number
  repeats: number
  /** Sent again, because the process died before it answered. */
  resent: number
  /** Keys without a run, and runs beyond the first of a key: both must be 0. */
  lost: number
  doubled: number
  forged: number
  /** Forged ones with another answer than 401, and of which something was stored: both must be 0. */
  forgedTaken: number
  forgedStored: number
  items: number
  polls: number
  itemsLost: number
  itemsDoubled: number
  completed: number
  kills: number
  killedApis: number
  tookS: number
}

interface Options {
  webhooks: number
  senders: number
  kills: number
  pauseMs: number
  items: number
  forMs: number
}

const secret = 'the secret of the proof'
const sign = (body: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
/** Of ten webhooks, three bring a key that was brought before. */
const isRepeat = (n: number) => n % 10 >= 7
const forgedEach = 50

export async function bringWebhooks(yard: Yard, options: Options): Promise<TriggeredRuns> {
  const begunAt = performance.now()
  const agentId = await yard.newAgent(block('output', '{{ message }}'))
  const webhook = {
    kind: 'webhook',
    webhook: { verifier: 'github', secret },
    dedupe_key: 'body.key',
    message: '{{ body.key }}',
  }
  const made = bodyOf(await yard.call({ method: 'POST', path: `/v2/agents/${agentId}/triggers`, body: webhook }))
  const trigger = made['trigger'] as { id: string; webhook: { url: string } }
  const path = new URL(trigger.webhook.url).pathname
  const keys = new Set<string>()
  const brought: string[] = []
  const seen = { resent: 0, forged: 0, forgedTaken: 0, killedApis: 0 }
  const killing = new Killing(yard)
  let isOver = false

  const post = (body: string, signature: string) => {
    const api = yard.apis[Math.floor(Math.random() * yard.apis.length)]!
    return send(api.baseUrl, {
      method: 'POST',
      path,
      key: 'none',
      body: JSON.parse(body),
      headers: { 'x-hub-signature-256': signature },
    })
  }

  /** As senders do: what is not answered with success is sent again. */
  async function bring(key: string): Promise<void> {
    const body = JSON.stringify({ key })
    for (;;) {
      const answer = await post(body, sign(body)).catch(() => undefined)
      if (answer?.status === 202) return
      if (answer && answer.status !== 429 && answer.status < 500) throw new Error(`${answer.status}: ${answer.text}`)
      seen.resent += 1
      await sleep(50 + Math.random() * 100)
    }
  }

  async function forge(): Promise<void> {
    const body = JSON.stringify({ key: `forged-${seen.forged++}` })
    const answer = await post(body, sign('another')).catch(() => undefined)
    if (answer && answer.status !== 401) seen.forgedTaken += 1
  }

  async function produce(sender: number): Promise<void> {
    for (let n = sender; n < options.webhooks; n += options.senders) {
      const key = isRepeat(n) && brought.length > 0 ? brought[Math.floor(Math.random() * brought.length)]! : `key-${n}`
      keys.add(key)
      // a repetition may overtake the first: it is brought while the other is under way
      brought.push(key)
      await bring(key)
      if (n % forgedEach === 0) await forge()
    }
  }

  async function kill(): Promise<void> {
    const deadline = performance.now() + options.forMs
    while (killing.kills + seen.killedApis < options.kills && performance.now() < deadline) {
      await sleep(Math.random() * options.pauseMs)
      if ((killing.kills + seen.killedApis) % 2 === 0) await killing.killOne()
      else await killApi()
    }
    isOver = true
  }

  async function killApi(): Promise<void> {
    // the first has what the other calls of the proof need, and stays
    const victim = yard.apis.splice(1, 1)[0]
    if (!victim) throw new Error('the proof needs two APIs')
    victim.child.kill('SIGKILL')
    seen.killedApis += 1
    yard.apis.push(await yard.startApi())
  }

  // made while every process lives; from then on it needs only its own database connection
  const shop = await openShop(yard, agentId, options.items)
  const polled = shop.polled(() => isOver, options.forMs)
  await Promise.all([kill(), polled, ...Array.from({ length: options.senders }, (_, n) => produce(n))])
  await until(
    'nothing waits',
    () => waiting(yard),
    (count) => count === 0,
    { everyMs: 200, forMs: options.forMs },
  )
  await untilQuiet(yard)
  await killing.ended()
  const started = await startedBy(yard, trigger.id)
  return {
    webhooks: options.webhooks,
    keys: keys.size,
    repeats: options.webhooks - keys.size,
    resent: seen.resent,
    lost: [...keys].filter((key) => !started.has(key)).length,
    doubled: [...started.values()].reduce((sum, runs) => sum + runs - 1, 0),
    forged: seen.forged,
    forgedTaken: seen.forgedTaken,
    forgedStored: await storedForged(yard, trigger.id),
    ...(await polled),
    completed: await completedRuns(yard, agentId),
    kills: killing.kills + seen.killedApis,
    killedApis: seen.killedApis,
    tookS: Math.round((performance.now() - begunAt) / 1000),
  }
}

interface Shop {
  /** Polled until every order has come and `mayStop` says so. */
  polled: (
    mayStop: () => boolean,
    forMs: number,
  ) => Promise<Pick<TriggeredRuns, 'items' | 'polls' | 'itemsLost' | 'itemsDoubled'>>
}

/** A shop whose list of orders grows with each poll; its poll is due again as soon as it was done. */
async function openShop(yard: Yard, agentId: string, items: number): Promise<Shop> {
  const perPoll = Math.max(1, Math.ceil(items / 20))
  let orders: { id: string }[] = []
  let polls = 0
  const answer = () => {
    polls += 1
    const count = Math.min(perPoll, items - orders.length)
    orders = [...orders, ...Array.from({ length: count }, (_, n) => ({ id: `order-${orders.length + n}` }))]
    return { content: [{ type: 'text', text: JSON.stringify({ orders }) }] }
  }
  const shop = await startMcpServer({ tools: [{ name: 'list_orders', answer }] })
  const { teamId } = yard.apis[0]!
  const connection = { name: 'Shop', type: 'custom_mcp', server_url: shop.url, shared: true }
  const made = bodyOf(await yard.call({ method: 'POST', path: `/v2/teams/${teamId}/connections`, body: connection }))
  const connectionId = made['connection_id'] as string
  bodyOf(await yard.call({ method: 'POST', path: `/v2/connections/${connectionId}/test` }))
  const poll = { connection_id: connectionId, tool: 'list_orders', start_existing: true }
  const body = { kind: 'poll', poll, message: '{{ item.id }}' }
  const trigger = bodyOf(await yard.call({ method: 'POST', path: `/v2/agents/${agentId}/triggers`, body }))
  const triggerId = trigger['trigger_id'] as string
  const look = async (mayStop: () => boolean) => {
    // a minute is the shortest time between two polls, and more than the proof has
    await yard.sql`update triggers set next_poll_at = now() where id = ${triggerId} and next_poll_at > now()`
    return mayStop() && orders.length === items && (await startedBy(yard, triggerId)).size === items
  }
  return {
    async polled(mayStop, forMs) {
      try {
        await until(
          'every order has started a run',
          () => look(mayStop),
          (isDone) => isDone,
          { everyMs: 500, forMs },
        )
      } finally {
        await shop.close()
      }
      const runs = await startedBy(yard, triggerId)
      const itemsDoubled = [...runs.values()].reduce((sum, count) => sum + count - 1, 0)
      return { items, polls, itemsLost: items - runs.size, itemsDoubled }
    },
  }
}

/** The number of runs for each message. */
async function startedBy({ sql }: Yard, triggerId: string): Promise<Map<string, number>> {
  const rows = await sql<{ key: string; runs: number }>`
    select message #>> '{}' as key, count(*)::int as runs from runs where metadata ->> 'trigger_id' = ${triggerId} group by 1`
  return new Map(rows.map(({ key, runs }) => [key, runs]))
}

async function waiting({ sql }: Yard): Promise<number> {
  const [row] = await sql<{
    count: number
  }>`select count(*)::int as count from trigger_deliveries where state = 'waiting'`
  return row!.count
}

async function storedForged({ sql }: Yard, triggerId: string): Promise<number> {
  const [row] = await sql<{ count: number }>`
    select count(*)::int as count from trigger_deliveries where trigger_id = ${triggerId} and content::text like '%forged-%'`
  return row!.count
}

async function completedRuns({ sql }: Yard, agentId: string): Promise<number> {
  const [row] = await sql<{ count: number }>`
    select count(*)::int as count from runs where agent_id = ${agentId} and status = 'completed'`
  return row!.count
}

export const isOnce = (seen: TriggeredRuns): boolean =>
  [seen.lost, seen.doubled, seen.forgedTaken, seen.forgedStored, seen.itemsLost, seen.itemsDoubled].every(
    (count) => count === 0,
  ) && seen.completed === seen.keys + seen.items

export const triggerProof: Proof = {
  name: 'triggers: 10,000 webhooks, 30 % repeats, and 400 polled items, kill -9 of APIs and workers at random',
  must: 'each key and each item starts one run, which completes; forged ones all 401 and none stored; >= 50 kills',
  async run(dataDir) {
    const env = { LOG_LEVEL: 'error', RUNYARD_TRIGGER_RATE_LIMIT: '0' }
    const yard = await openYard({ options: { dataDir, env }, apis: 2, workers: 3 })
    try {
      const counts = await bringWebhooks(yard, {
        webhooks: 10_000,
        senders: 8,
        kills: 50,
        pauseMs: 2000,
        items: 400,
        forMs: 1_800_000,
      })
      return { counts, holds: isOnce(counts) && counts.kills >= 50 && counts.repeats >= 2500 }
    } finally {
      await yard.close()
    }
  },
}
