// Proof: while the secret is rotated again and again, every delivery is signed with one that its receiver may know.
import { setTimeout as sleep } from 'node:timers/promises'
import { Stripe } from 'stripe'
import { startHookReceiver } from '../../src/drill/hookReceiver.ts'
import type { Proof } from './proof.ts'
import { block, bodyOf, openYard, until, untilQuiet, type Yard } from './yard.ts'

export interface Rotated {
  rotations: number
  deliveries: number
  /** Signed with the newest and with the one before, as a receiver knew them at that moment. */
  byNewest: number
  byPrevious: number
  /** Must be 0. */
  byNeither: number
  /** Must be 0 on a quiet machine: `t` more than 2 s away from now. */
  lateOrEarly: number
}

export async function rotateUnderLoad(yard: Yard, options: { rotations: number; everyMs: number }): Promise<Rotated> {
  const teamId = yard.apis[0]!.teamId
  const { webhooks } = new Stripe('sk_test_of_nobody')
  const receiver = await startHookReceiver()
  const path = `/v2/teams/${teamId}/webhook-secret`
  const known = [bodyOf(await yard.call({ path }))['secret'] as string]
  const seen = { byNewest: 0, byPrevious: 0, byNeither: 0, lateOrEarly: 0 }
  const verifies = (body: string, signature: string, secret: string | undefined): boolean => {
    try {
      return secret !== undefined && !!webhooks.constructEvent(body, signature, secret)
    } catch {
      return false
    }
  }
  receiver.onRequest = (headers, body) => {
    const signature = headers['x-service-signature'] as string
    const [newest, previous] = known
    if (verifies(body, signature, newest)) seen.byNewest += 1
    else if (verifies(body, signature, previous)) seen.byPrevious += 1
    else seen.byNeither += 1
    if (Math.abs(Number(/t=(\d+)/.exec(signature)![1]) - Date.now() / 1000) > 2) seen.lateOrEarly += 1
  }
  const body = { url: receiver.url, events: ['*'] }
  bodyOf(await yard.call({ method: 'POST', path: `/v2/teams/${teamId}/webhooks`, body }))
  const agentId = await yard.newAgent(block('output', 'done'))
  const done = new AbortController()
  const load = (async () => {
    while (!done.signal.aborted) await Promise.all([yard.startRun(agentId), sleep(10)])
  })()
  for (let n = 0; n < options.rotations; n++) {
    // by then no process signs with keys from before the last rotation
    await sleep(options.everyMs)
    await untilArrived(yard)
    const rotated = await yard.call({ method: 'POST', path: `${path}/rotate`, body: { overlap_seconds: 60 } })
    known.unshift(bodyOf(rotated)['secret'] as string)
  }
  done.abort()
  await load
  await untilQuiet(yard)
  const left = async () =>
    Number(
      (await yard.sql<{ count: string }>`select count(*) from every_delivery where state <> 'delivered'`)[0]!.count,
    )
  await until('everything is delivered', left, (count) => count === 0, { everyMs: 100 })
  const deliveries = receiver.arrivals.length
  await receiver.down()
  return { rotations: options.rotations, deliveries, ...seen }
}

/** Waits for what is on its way now: what was signed before the last rotation must not arrive after the next one. */
async function untilArrived(yard: Yard): Promise<void> {
  const waiting = await yard.sql<{ id: string }>`select id from every_delivery where state <> 'delivered'`
  const ids = waiting.map(({ id }) => id)
  const left = () =>
    yard.sql`select from every_delivery where id = any(${ids}::uuid[]) and state <> 'delivered' limit 1`
  await until('what is on its way has arrived', left, (rows) => rows.length === 0)
}

export const isAlwaysSigned = (seen: Rotated): boolean => seen.deliveries > 0 && seen.byNeither === 0

/** On a busy machine a delivery may be on its way for more than 2 s. */
const isSignedNow = (seen: Rotated): boolean => isAlwaysSigned(seen) && seen.lateOrEarly === 0

export const rotationProof: Proof = {
  name: '30 rotations of the webhook secret under load',
  must: 'every delivery verifies by the newest secret or the one before; `t` within 2 s of now',
  async run(dataDir) {
    const yard = await openYard({ options: { dataDir, env: { LOG_LEVEL: 'error' } }, workers: 2 })
    try {
      const counts = await rotateUnderLoad(yard, { rotations: 30, everyMs: 1000 })
      return { counts, holds: isSignedNow(counts) }
    } finally {
      await yard.close()
    }
  },
}
