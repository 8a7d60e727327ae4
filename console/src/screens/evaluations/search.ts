// What the address of evaluations holds: the agent, the time, and what the list of runs is narrowed to.
import { chosen, oneOf, text, whole, type RawSearch } from '../../app/search.ts'
import { isTimeText } from '../../parts/filters/times.ts'

export const spans = ['7d', '30d', '90d'] as const
export type Span = (typeof spans)[number]

const momentText = (value: unknown): string | undefined => {
  const given = text(value)
  return given !== undefined && given.endsWith('Z') && isTimeText(given) ? given : undefined
}

export const readEvaluationsSearch = (raw: RawSearch) =>
  chosen({
    agent: text(raw['agent'])?.slice(0, 100),
    span: oneOf(spans, raw['span']),
    since: momentText(raw['since']),
    until: momentText(raw['until']),
    build: text(raw['build'])?.slice(0, 100),
    flag: text(raw['flag'])?.slice(0, 200),
    page: whole(raw['page']),
  })

export type EvaluationsSearch = ReturnType<typeof readEvaluationsSearch>
