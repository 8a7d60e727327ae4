// runyard queues: the queues of the team, with how many cases wait in each.
import { command } from '../command.ts'

export const queuesList = command({
  words: 'queues',
  needs: 'service',
  endsWithReader: true,
  says: 'List queues and how many cases are in each state.',
  options: { search: { type: 'string', value: 'WORDS', says: 'only those with these words in name or description' } },
  examples: ['runyard queues', "runyard queues --json | jq -r 'select(.counts.failed > 0) | .name'"],
  async run({ values, out, service }) {
    const runyard = await service()
    const input = { limit: 100, ...(values.search !== undefined && { search: values.search }) }
    await out.rows(
      [
        { title: 'id', of: ({ id }) => id },
        { title: 'name', of: ({ name }) => name, mayCut: true },
        { title: 'pending', of: ({ counts }) => counts.pending, isNumber: true },
        { title: 'working', of: ({ counts }) => counts.in_progress, isNumber: true },
        { title: 'asking', of: ({ counts }) => counts.needs_input, isNumber: true },
        { title: 'completed', of: ({ counts }) => counts.completed, isNumber: true },
        { title: 'failed', of: ({ counts }) => counts.failed, isNumber: true },
      ],
      runyard.queues.list(input),
      'There are no such queues. Make one with: runyard call createQueue --name NAME',
    )
  },
})
