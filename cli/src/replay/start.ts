// runyard replay: replays a build of an agent against a set and waits for the report.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Replay, Runyard } from '../../../sdk/src/index.ts'
import { command, exit, UsageError } from '../command.ts'
import { oneNamed } from '../named.ts'
import { progressOf } from '../progress.ts'
import { buildOf, setOf } from './chosen.ts'
import { replayLines } from './replayLines.ts'

const everyMs = 500

export const replayStart = command({
  words: 'replay',
  needs: 'service',
  says: 'Replay a build of an agent against its recorded runs, without calling anything, and show what differs.',
  about:
    'Tools and people answer from the record. A runbook needs no model; any other build’s model is asked and paid for. The exit code is 2 when something differs. Ctrl-C leaves the replay running.',
  positionals: ['AGENT', '[BUILD]'],
  options: {
    set: { type: 'string', value: 'NAME', says: 'the replay set; needed if the agent has several' },
    'max-cost': { type: 'string', value: 'USD', says: 'what model calls may cost' },
    'no-wait': { type: 'boolean', says: 'only start it' },
  },
  examples: ["runyard replay 'Invoice checker'", "runyard replay 'Invoice checker' 4 --set March --max-cost 2.50"],
  async run({ positionals: [named = '', build], values, out, service, signal }) {
    const max = values['max-cost']
    if (max !== undefined && !/^\d{1,9}(\.\d{1,10})?$/.test(max))
      throw new UsageError('--max-cost must be an amount, as 2.50.')
    const runyard = await service()
    const agent = await oneNamed(runyard.agents.list({ limit: 100 }), named, 'agent')
    const [set, build_id] = [await setOf(runyard, agent, values.set), await buildOf(runyard, agent, build)]
    const started = await runyard.replays.start(set.id, { build_id, ...(max !== undefined && { max_cost_usd: max }) })
    const replay = values['no-wait'] ? started.replay : await ended(runyard, started.replay, { out, signal })
    out.record(replay, replayLines)
    return replay.state === 'running' || replay.runs_same === replay.runs ? exit.done : exit.differs
  },
})

interface Watching {
  out: Parameters<typeof progressOf>[0]
  signal: AbortSignal
}

async function ended(runyard: Runyard, started: Replay, { out, signal }: Watching): Promise<Replay> {
  const progress = progressOf(out, 'Replaying', 'runs')
  try {
    for (let replay = started; ;) {
      if (replay.state !== 'running') return replay
      progress.show(replay.runs_done, replay.runs)
      await sleep(everyMs, undefined, { signal })
      replay = (await runyard.replays.get(replay.id)).replay
    }
  } finally {
    progress.end()
  }
}
