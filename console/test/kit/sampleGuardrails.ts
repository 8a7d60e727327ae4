// Guardrails of a team in its third version, what they stopped, and a request that needs two people, one of whom has approved.
import { Runyard } from '../../../sdk/src/index.ts'
import { step } from './sampleAgents.ts'
import { requestOfRun, untilStatus, type SampleMember } from './sampleData.ts'

export interface SampleGuardrails {
  /** Waits for the second of two people. */
  request: string
}

const hosts = ['payments.example.com', '*.shop.example.com', 'api.carrier.example.org']

/** After all other sample data: from then on the rules apply to it too. */
export async function makeSampleGuardrails(
  sdk: Runyard,
  { baseUrl, operator, billing }: { baseUrl: string; operator: SampleMember; billing: string },
): Promise<SampleGuardrails> {
  const rules = { always_ask: ['browser_*', 'github_request'], two_person: ['memory_*'] }
  await sdk.guardrails.set({ rules, comment: 'Two people read what agents remember' })
  const request = await askTwo(sdk, new Runyard({ apiKey: operator.key, baseUrl }))
  await sdk.guardrails.set({
    rules: { ...rules, allowed_hosts: hosts },
    comment: 'Nothing leaves but to the shop, the bank and the carrier',
  })
  await sdk.guardrails.set({
    rules: {
      ...rules,
      allowed_hosts: hosts,
      allowed_connections: [billing],
      cost_usd_per_day: '500',
      runs_per_day: 20_000,
      quiet_hours: [{ days: ['sat', 'sun'], from: '00:00', to: '24:00' }],
      time_zone: 'Europe/Berlin',
    },
    comment: 'Quiet weekends',
  })
  await beRefused(sdk)
  return { request }
}

async function askTwo(sdk: Runyard, other: Runyard): Promise<string> {
  const { agent_id } = await sdk.agents.create({
    name: 'Refund limits',
    description: 'Keeps the limits up to which refunds need nobody.',
    build: {
      config: {
        version: 'v2',
        data: {
          input: [
            '# Write down a new limit',
            step('memory path=limits.md', '# Refunds\n\nUp to {{ message.limit }} EUR nobody is asked.'),
            step('output', '{"limit": {{ message.limit }}}'),
          ].join('\n\n'),
        },
      },
    },
  })
  const { run_id } = await sdk.runs.start({ agent_id, title: 'Limit of refunds', message: { limit: 250 } })
  await untilStatus(sdk, run_id, 'waiting')
  const request = await requestOfRun(sdk, run_id)
  await other.humanRequests.of(request).approve('Agreed with the head of service.')
  return request.id
}

/** Calls to hosts that nobody allowed; nothing is sent. */
async function beRefused(sdk: Runyard): Promise<void> {
  const { agent_id } = await sdk.agents.create({
    name: 'Parcel tracker',
    description: 'Asks carriers where parcels are.',
    build: {
      config: {
        version: 'v2',
        data: {
          input: [
            '# Where is it?',
            step('http id=ask on_error=continue', 'GET https://track.example.net/parcels/{{ message.parcel }}'),
            step('output', '{"is_known": {{ steps.ask.ok }}}'),
          ].join('\n\n'),
        },
      },
    },
  })
  for (const parcel of ['5510', '5511', '5514']) {
    const { run_id } = await sdk.runs.start({ agent_id, title: `Parcel ${parcel}`, message: { parcel } })
    await untilStatus(sdk, run_id, 'completed')
  }
}
