// An agent that webhooks, mails, events and new pages of the wiki start, and what came in for it.
import { setTimeout as pause } from 'node:timers/promises'
import type { Runyard } from '../../../sdk/src/index.ts'
import { messageOf } from '../../../server/src/drivers/mail/message.ts'
import { sendBySmtp } from '../../../server/src/drivers/mail/smtp.ts'
import { step } from './sampleAgents.ts'

export interface SampleTriggers {
  agent: string
  webhook: string
}

const secret = 'sample-of-the-shop'

/** For the service whose triggers take mail. */
export const sampleInboxSettings = (port: number): Record<string, string> => ({
  RUNYARD_INBOUND_MAIL_PORT: String(port),
  RUNYARD_INBOUND_MAIL_DOMAIN: 'in.example.com',
})

export async function makeSampleTriggers(
  sdk: Runyard,
  { wiki, failing, mailPort }: { wiki: string; failing: string; mailPort: number },
): Promise<SampleTriggers> {
  const input = ['# Take an order', step('output', '{{ message }}')].join('\n\n')
  const { agent_id: agent } = await sdk.agents.create({
    name: 'Order intake',
    description: 'Takes orders of the shop and of mails.',
    build: { config: { version: 'v2', data: { input } } },
  })
  const { trigger: webhook } = await sdk.triggers.create(agent, {
    kind: 'webhook',
    name: 'Orders of the shop',
    webhook: { verifier: 'secret', secret },
    filter: 'body.total > 0',
    message: 'Order {{ body.order }} of {{ body.customer }}',
    dedupe_key: 'body.order',
  })
  const { trigger: mail } = await sdk.triggers.create(agent, {
    kind: 'email',
    name: 'Orders by mail',
    message: '{{ mail.from }}: {{ mail.subject }}',
  })
  await sdk.triggers.create(agent, {
    kind: 'event',
    event: { event: 'run.failed', agent_id: failing },
    message: 'Look at the run that failed.',
  })
  await sdk.triggers.create(agent, {
    kind: 'poll',
    name: 'New pages about suppliers',
    poll: { connection_id: wiki, tool: 'search_pages', arguments: { words: 'supplier' }, every_minutes: 15 },
  })
  await sdk.triggers.create(agent, { kind: 'webhook', name: 'Returns of the old shop', enabled: false })
  const orders = [
    { order: '88301', customer: 'Corner shop', total: 96 },
    { order: '88302', customer: 'Blue shop', total: 412.75 },
    { order: '88302', customer: 'Blue shop', total: 412.75 },
    { order: '88303', customer: 'Blue shop', total: 0 },
    { order: '88304', customer: 'Harbour office', total: 1250 },
  ]
  for (const order of orders) await post(webhook.webhook?.url ?? '', order)
  await sendMail(mail.email?.address ?? '', mailPort)
  await settled(sdk, [
    { id: webhook.id, count: orders.length },
    { id: mail.id, count: 1 },
  ])
  return { agent, webhook: webhook.id }
}

async function post(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-webhook-secret': secret }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`the trigger answered ${answer.status}: ${await answer.text()}`)
}

async function sendMail(to: string, port: number): Promise<void> {
  const from = { name: 'Harbour office', address: 'office@example.com' }
  const text = 'Please send us forty boxes of label rolls.'
  const message = messageOf({
    id: 'sample-order',
    from,
    to,
    subject: 'Forty boxes of label rolls',
    text,
    html: `<p>${text}</p>`,
    at: new Date(),
    settingsUrl: 'http://127.0.0.1/notifications',
  })
  const server = { host: '127.0.0.1', port, isTls: false, user: undefined, password: undefined }
  const outcome = await sendBySmtp(
    { server, tls: 'off', timeoutMs: 5000 },
    { from: from.address, to, message, beforeEnd: () => Promise.resolve(true) },
  )
  if (outcome.is !== 'accepted') throw new Error(`the mail was not taken: ${JSON.stringify(outcome)}`)
}

/** Until nothing of what came in waits any more. */
async function settled(sdk: Runyard, triggers: { id: string; count: number }[]): Promise<void> {
  for (const { id, count } of triggers) {
    for (const deadline = Date.now() + 30_000; ; await pause(50)) {
      const { deliveries } = await sdk.triggers.listDeliveries(id).page()
      if (deliveries.length >= count && deliveries.every(({ status }) => status !== 'waiting')) break
      if (Date.now() > deadline) throw new Error(`what came in for the trigger ${id} still waits`)
    }
  }
}
