// What the address of usage holds: the time, what is measured, which model is unfolded, and whether all agents are listed.
import { chosen, oneOf, text, type RawSearch } from '../../app/search.ts'
import { periods } from './period.ts'

export const measures = ['cost', 'tokens', 'runs'] as const
export type Measure = (typeof measures)[number]

export const readUsageSearch = (raw: RawSearch) =>
  chosen({
    period: oneOf(periods, raw['period']),
    show: oneOf(measures, raw['show']),
    agents: oneOf(['all'], raw['agents']),
    model: text(raw['model'])?.slice(0, 200),
  })

export type UsageSearch = ReturnType<typeof readUsageSearch>
