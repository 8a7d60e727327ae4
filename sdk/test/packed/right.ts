// A program that uses the packed SDK as its types say. It is compiled by a test in strict mode.
import { ConflictError, Runyard, type RunCompletedEvent } from '@runyard/sdk'

const runyard = new Runyard({ apiKey: 'key', baseUrl: 'http://127.0.0.1:4700' })

export async function right(agentId: string): Promise<string> {
  const run = await runyard.runs.startAndWait(
    { agent_id: agentId, message: 'go' },
    { onEvent: (event) => (event.event === 'delta' ? console.log(event.data.text) : undefined), timeoutMs: 1000 },
  )
  for await (const { id, status } of runyard.runs.list({ agent_id: agentId, limit: 10 })) {
    if (status === 'failed') await runyard.runs.get(id)
  }
  const { data, isReplay } = await runyard.queues.create({ name: 'New' }, { idempotencyKey: 'once' }).withResponse()
  for await (const event of runyard.teams.events({ events: ['run.completed', 'queue.case.created'] })) {
    if (event.event === 'queue.case.created') return event.data.case.title
    if (event.event === 'run.completed') ended(event)
  }
  const event = await Runyard.webhooks.unwrap('{}', {}, 'secret')
  if (event.event === 'run.completed') ended(event)
  return isReplay ? data.queue_id : run.id
}

const ended = (event: RunCompletedEvent): string => event.data.run_id

export const isTaken = (error: unknown): boolean => error instanceof ConflictError && error.code === 'duplicate_name'
