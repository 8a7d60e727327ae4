// The reasons why cases of a queue wait, in the order in which a person would look at them, each as a sentence that says what to do.
import type { QueueFacts } from './queueFacts.ts'

export const reasonCodes = [
  'no_trigger',
  'paused',
  'agent_paused',
  'no_live_build',
  'limit_reached',
  'guardrail',
  'queue_full',
  'agents_full',
  'connection',
  'no_slots',
] as const
interface Reason {
  code: (typeof reasonCodes)[number]
  says: string
}

const limitWords = { monthly_runs: 'runs (monthly_runs)', monthly_cost_usd: 'model cost (monthly_cost_usd)' }

export function whyOf(facts: QueueFacts): Reason[] {
  const { agents } = facts
  const reasons: Reason[] = []
  if (agents.length === 0)
    reasons.push({
      code: 'no_trigger',
      says: 'No agent works this queue. Give one a case trigger; until then only people take cases.',
    })
  const of = (state: QueueFacts['agents'][number]['state']) => agents.filter((agent) => agent.state === state)
  const isStuck = agents.length > 0 && of('free').length === 0
  if (of('paused').length > 0 && isStuck)
    reasons.push({ code: 'paused', says: `Paused: ${namesOf(of('paused'))}. Enable the case trigger.` })
  if (of('agent_paused').length > 0)
    reasons.push({ code: 'agent_paused', says: `The agent is paused: ${namesOf(of('agent_paused'))}. Resume it.` })
  if (of('no_live_build').length > 0)
    reasons.push({
      code: 'no_live_build',
      says: `No live build: ${namesOf(of('no_live_build'))}. Promote a build of the agent.`,
    })
  for (const key of facts.limits_reached)
    reasons.push({
      code: 'limit_reached',
      says: `The team has reached its monthly limit of ${limitWords[key]}. Cases start runs again next month, or when an operator raises it.`,
    })
  for (const { rule, version, until } of facts.guardrails_reached)
    reasons.push({
      code: 'guardrail',
      says: `The team’s guardrails (version ${version}: ${rule}) let no more runs start today. Cases start runs again at ${until.toISOString()}, or when somebody who manages keys changes the guardrails.`,
    })
  if (facts.in_progress >= facts.at_once && of('full').length > 0)
    reasons.push({
      code: 'queue_full',
      says: `${facts.in_progress} of ${facts.at_once} cases that may be in progress at once are. Wait for one, or raise the concurrency of the queue.`,
    })
  else if (isStuck && of('full').length > 0)
    reasons.push({
      code: 'agents_full',
      says: `At the limit of their triggers: ${namesOf(of('full'))}. Wait for a run to end, or raise the concurrency of the trigger.`,
    })
  for (const { kind, connection_name: name, rule, runs } of facts.waits) {
    if (rule !== null)
      reasons.push({
        code: 'guardrail',
        says: `${runs} ${runs === 1 ? 'run of a case waits' : 'runs of cases wait'} because of the team’s guardrails (${rule}). They continue by themselves, or when the guardrails change.`,
      })
    if (kind === 'connection')
      reasons.push({
        code: 'connection',
        says: `${runs} ${runs === 1 ? 'run of a case waits' : 'runs of cases wait'} for the connection ${name ?? 'that was removed'}. Reconnect it.`,
      })
  }
  if (facts.slots_held >= facts.slots_total)
    reasons.push({
      code: 'no_slots',
      says: `All ${facts.slots_total} slots of the team are held, so new runs wait on the waitlist.`,
    })
  return reasons
}

const namesOf = (agents: QueueFacts['agents']): string => agents.map(({ name }) => name).join(', ')
