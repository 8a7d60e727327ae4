// Uses of the packed SDK that must not compile: a test checks that each marked line is an error, and no other.
import { ConflictError, Runyard } from '@runyard/sdk'

const runyard = new Runyard({})

export async function wrong(error: unknown): Promise<void> {
  await runyard.runs.start({ agent_id: 'one', mesage: 'go' }) // wrong
  await runyard.runs.start({ message: 'no agent' }) // wrong
  await runyard.runs.get() // wrong
  await runyard.queues.create({ name: 1 }) // wrong
  runyard.teams.events({ events: ['run.exploded'] }) // wrong
  for await (const event of runyard.teams.events({ events: ['run.completed'] })) {
    if (event.event === 'queue.case.created') return // wrong
    if (event.event === 'run.completed') console.log(event.data.case) // wrong
  }
  const { run } = await runyard.runs.get('one')
  if (run.status === 'exploded') return // wrong
  if (error instanceof ConflictError && error.code === 'not_found') return // wrong
  await Runyard.webhooks.unwrap({ parsed: true }, {}, 'secret') // wrong
}
