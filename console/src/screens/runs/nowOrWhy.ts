// What a run does now, or why it does nothing, in a few words for its row.
import type { ListedRunDetails, Run } from '@runyard/sdk'
import { ruleInSentence } from '../../parts/guardrailWords.ts'
import { clockTime } from '../../parts/moments.ts'

export interface NowOrWhy {
  /** `alive`: it works; `person`: it waits for somebody; `broke`: it failed. */
  tone: 'alive' | 'person' | 'broke' | 'plain'
  /** The code of an error, before the text. */
  code?: string
  text: string
}

type Row = Pick<Run, 'status' | 'waiting_on' | 'postponed_to' | 'error' | 'output' | 'usage'> & {
  /** Undefined while they are not known: then it says nothing that they could prove wrong. */
  details: ListedRunDetails | undefined
}

const textMax = 300

export function nowOrWhy(run: Row, zone: string): NowOrWhy {
  return told[run.status](run, zone)
}

const told: Record<Row['status'], (run: Row, zone: string) => NowOrWhy> = {
  pending: (run) => plain(lineWords(run, 'About to start')),
  running: (run) => ({ tone: 'alive', text: stepWords(run) }),
  waiting: waitWords,
  failed: ({ error }) => ({
    tone: 'broke',
    code: cut(error?.code ?? 'failed'),
    text: firstLine(error?.message ?? ''),
  }),
  stopped: (run) => plain(stopWords(run)),
  completed: ({ output }) => plain(outputWords(output)),
}

const plain = (text: string): NowOrWhy => ({ tone: 'plain', text })

const cut = (text: string): string => (text.length > textMax ? `${text.slice(0, textMax)}…` : text)

const firstLine = (text: string): string => cut(text.trim().split('\n', 1)[0] ?? '')

function lineWords({ details }: Row, otherwise: string): string {
  if (!details) return ''
  const { line } = details
  if (!line) return otherwise
  const { places_held, places_total, agent_places_held, agent_places_total } = line
  if (agent_places_total !== null && agent_places_held >= agent_places_total)
    return `Waits for a slot: ${agent_places_held} of ${agent_places_total} in use by this agent`
  return `Waits for a slot: ${places_held} of ${places_total} in use`
}

function stepWords({ details, usage }: Row): string {
  const step = details?.step
  if (!step) return usage.steps > 0 ? `Step ${usage.steps}` : details ? 'Starting' : ''
  if (step.kind === 'model') return `Step ${step.seq} · asks ${cut(step.name ?? 'its model')}`
  return `Step ${step.seq} · ${cut(step.name ?? step.kind)}`
}

interface WaitDetail {
  title?: unknown
  reason?: unknown
  message?: unknown
  name?: unknown
  agent_name?: unknown
  rule?: unknown
}

const asText = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const askWords = { approval: '', question: 'Question: ', form: 'Form: ', login: 'Sign-in: ' }

function waitWords(run: Row, zone: string): NowOrWhy {
  const detail = (run.waiting_on?.detail ?? {}) as WaitDetail
  return waited[run.waiting_on?.kind ?? 'capacity'](run, detail, zone)
}

type WaitKind = NonNullable<Row['waiting_on']>['kind']

const waited: Record<WaitKind, (run: Row, detail: WaitDetail, zone: string) => NowOrWhy> = {
  human({ details }, detail) {
    const request = details?.human_request
    const title = request?.title ?? asText(detail.title)
    if (title === undefined) return plain(details ? 'Answered, about to continue' : '')
    return { tone: 'person', text: (request ? askWords[request.type] : '') + firstLine(title) }
  },
  time({ postponed_to }, detail, zone) {
    const until = postponed_to === null ? '' : clockTime(postponed_to, zone)
    if (detail.reason === 'model_unavailable')
      return plain(`Model in trouble, next try ${until}: ${firstLine(asText(detail.message) ?? 'no answer')}`)
    if (detail.reason === 'guardrail')
      return plain(`Until ${until}, by the team’s guardrails: ${cut(ruleInSentence(asText(detail.rule) ?? 'a rule'))}`)
    return plain(until === '' ? 'For a time, set by the run itself' : `Until ${until}, set by the run itself`)
  },
  connection(_, detail) {
    const reason = firstLine(asText(detail.reason) ?? 'somebody must sign in again')
    return plain(`For connection “${cut(asText(detail.name) ?? 'unnamed')}”: ${reason}`)
  },
  sub_run: (_, detail) => plain(`For a run of ${cut(asText(detail.agent_name) ?? 'another agent')}`),
  capacity: (run) => plain(lineWords(run, 'About to continue')),
}

function stopWords({ details }: Row): string {
  const by = details?.stopped_by
  if (by?.reason === 'member') return `Stopped by ${cut(by.name ?? 'a member')}`
  if (by?.reason === 'parent_run') return 'Stopped with the run that had started it'
  return by?.reason === 'agent_deleted' ? 'Stopped because its agent was deleted' : ''
}

function outputWords(output: unknown): string {
  if (output === null || output === undefined) return ''
  if (typeof output === 'string') return firstLine(output)
  if (typeof output !== 'object' || Array.isArray(output)) return cut(JSON.stringify(output))
  // enough to know it by; the run itself shows all of it
  const fields = Object.entries(output).slice(0, 6)
  return cut(fields.map(([name, value]) => `${name}: ${valueWords(value)}`).join(' · '))
}

const valueWords = (value: unknown): string =>
  typeof value === 'string' ? firstLine(value) : cut(JSON.stringify(value) ?? '')

/** How many issues the latest evaluation found. */
export function issuesOf(evalSummary: unknown): number {
  const counts = (evalSummary as { severity_counts?: unknown } | null)?.severity_counts
  if (typeof counts !== 'object' || counts === null) return 0
  return Object.values(counts).reduce((sum: number, one) => sum + (typeof one === 'number' ? one : 0), 0)
}
