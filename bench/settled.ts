// Waits until nothing is left to deliver or to evaluate: what is still under way would count in what is measured next.
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Service } from './service.ts'

const left = `select exists (select from deliveries where state = 'new') or exists (select from delivery_batches where has_waiting) or exists (select from runs_to_evaluate) as found`

/** On one connection: each new one costs PostgreSQL as much as several runs. */
export async function untilSettled(service: Service): Promise<void> {
  const client = new Client({ connectionString: service.databaseUrl })
  await client.connect()
  try {
    while ((await client.query<{ found: boolean }>(left)).rows[0]!.found) await sleep(50)
  } finally {
    await client.end()
  }
}
