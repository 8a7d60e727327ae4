// runyard agents pause and resume: whether runs of an agent may start.
import { command } from '../command.ts'

export const agentsPause = command({
  words: 'agents pause',
  positionals: ['AGENT'],
  needs: 'service',
  says: 'Pause an agent: no run of its live build starts until it is resumed.',
  about:
    'Callers are refused, schedules skip their due times, and what comes in for triggers and queues waits. Runs under way continue, and drafts can be run.',
  options: { reason: { type: 'string', short: 'm', value: 'TEXT', says: 'why; whoever is refused reads it' } },
  examples: ["runyard agents pause 'Invoice checker'", "runyard agents pause 'Invoice checker' -m 'It pays twice'"],
  async run({ positionals: [given = ''], values: { reason }, out, service }) {
    const [runyard, { agentIdOf }] = await Promise.all([service(), import('../findAgent.ts')])
    const { agent } = await runyard.agents.pause(
      await agentIdOf(runyard, given),
      reason === undefined ? {} : { reason },
    )
    out.record(agent, ({ name }) => [`${name} is paused.`])
  },
})

export const agentsResume = command({
  words: 'agents resume',
  positionals: ['AGENT'],
  needs: 'service',
  says: 'Resume a paused agent; what waited for it starts.',
  examples: ["runyard agents resume 'Invoice checker'", "runyard agents resume 'Invoice checker' --json"],
  async run({ positionals: [given = ''], out, service }) {
    const [runyard, { agentIdOf }] = await Promise.all([service(), import('../findAgent.ts')])
    const { agent } = await runyard.agents.resume(await agentIdOf(runyard, given))
    out.record(agent, ({ name }) => [`${name} is not paused.`])
  },
})
