// runyard replay record: copies runs of an agent into a replay set.
import { command, UsageError } from '../command.ts'
import { oneNamed } from '../named.ts'

const usualName = 'Recorded'

export const replayRecord = command({
  words: 'replay record',
  needs: 'service',
  says: 'Copy runs of an agent into a replay set, which is made if it is missing.',
  positionals: ['AGENT', '[RUN…]'],
  options: {
    last: { type: 'string', value: 'N', says: 'the last N runs that completed or failed, instead of naming them' },
    set: { type: 'string', value: 'NAME', says: `the name of the set; ${usualName} unless given` },
  },
  examples: [
    "runyard replay record 'Invoice checker' --last 50",
    "runyard replay record 'Invoice checker' $RUN --set Hard",
  ],
  async run({ positionals: [named = '', ...run_ids], values, out, service }) {
    const { last } = values
    if ((run_ids.length === 0) !== (last !== undefined)) throw new UsageError('Name the runs, or give --last N.')
    if (last !== undefined && !/^[1-9]\d{0,2}$/.test(last))
      throw new UsageError('--last must be a number from 1 to 500.')
    const runyard = await service()
    const agent = await oneNamed(runyard.agents.list({ limit: 100 }), named, 'agent')
    const name = values.set ?? usualName
    let setId: string | undefined
    for await (const set of runyard.replays.listSets(agent.id, { limit: 100 })) if (set.name === name) setId = set.id
    setId ??= (await runyard.replays.createSet(agent.id, { name })).replay_set_id
    const added = await runyard.replays.addRecordings(setId, last === undefined ? { run_ids } : { last: Number(last) })
    out.record(added, ({ added: count, replay_set, skipped }) => [
      `${count} recorded; the set ${replay_set.name} has ${replay_set.recordings}.`,
      ...skipped.map(({ run_id, reason }) => `${run_id}: ${reason}`),
    ])
  },
})
