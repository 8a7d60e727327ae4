// What runs are given in the sample data: secrets, a login, a skill and files of the team. One run has used a secret.
import type { Runyard } from '../../../sdk/src/index.ts'
import { step } from './sampleAgents.ts'

const skill = [
  '---',
  'name: monthly-report',
  'description: Writes the monthly report of what came back, why, and what it cost.',
  '---',
  'Read the figures of the month. Name the three articles that came back most often.',
  '',
].join('\n')

const prices = 'article,price\nLabel rolls,12.40\nStanding desk,412.75\nDesk lamp,39.90\n'
const letter = 'Dear {{ name }},\n\nthank you for your question. We offer you the following.\n'

/** `api` is asked with the secret, so that it must be on this machine. */
export async function makeSampleGiven(sdk: Runyard, api: string): Promise<void> {
  await sdk.secrets.create({
    name: 'invoicing',
    values: { INVOICING_TOKEN: 'sample-0123456789', INVOICING_ACCOUNT: 'sample-account-4711' },
  })
  await sdk.secrets.create({ name: 'warehouse', values: { WAREHOUSE_TOKEN: 'sample-1234567890' }, shared: false })
  await sdk.logins.create({
    domain: 'suppliers.example.com',
    username: 'orders@example.com',
    password: 'sample-9876543210',
    otp_secret: 'JBSWY3DPEHPK3PXP',
  })
  await sdk.skills.create({ content: skill })
  await sdk.skills.create({ content: `${skill}Round amounts to full euros.\n` })
  await sdk.teamFiles.upload('reference/price-list.csv', new TextEncoder().encode(prices))
  await sdk.teamFiles.upload('templates/offer.md', new TextEncoder().encode(letter))
  await useSecret(sdk, api)
}

async function useSecret(sdk: Runyard, api: string): Promise<void> {
  const call = step('http', `GET ${api}/v1/open\nAuthorization: Bearer {{ secrets.invoicing.INVOICING_TOKEN }}`)
  const input = ['# Remind of open invoices', call, step('output', 'Nothing is overdue.')].join('\n\n')
  const { agent_id } = await sdk.agents.create({
    name: 'Invoice reminder',
    build: { config: { version: 'v2', data: { input, secrets: ['invoicing'] } } },
  })
  await sdk.runs.startAndWait({ agent_id, title: 'Reminders of today' })
}
