// A filter of the list in words: its chip has them, and the question before something is done to all runs that fit.
import { useQuery } from '@tanstack/react-query'
import { agentQuery } from '../../queries/agents.ts'
import { queueNamesQuery } from '../../queries/queues.ts'
import { membersQuery } from '../../queries/team.ts'
import { statusesOf, type FilterName, type RunsSearch } from './search.ts'
import { timeWords } from '../../parts/filters/times.ts'
import { filterStatusWord, filterWords, issueWords, severityWords, sourceWords } from './words.ts'

interface Words {
  label: string
  value: string
}

/** `Agent is` and `Refund desk`. */
export function useFilterWords(name: FilterName, search: RunsSearch, zone: string): Words {
  const known = useNames(name, search)
  return said[name](search, zone, known ?? '…')
}

const said: Record<FilterName, (search: RunsSearch, zone: string, known: string) => Words> = {
  status: (search) => ({ label: 'Status is', value: statusesOf(search).map(filterStatusWord).join(', ') || 'any' }),
  agent_id: (_, __, known) => ({ label: 'Agent is', value: known }),
  since({ since }, zone) {
    const value = since === undefined ? '…' : timeWords(since, zone)
    if (since === 'today') return { label: 'Started', value }
    return { label: value.startsWith('the ') ? 'Started in' : 'Started since', value }
  },
  until: ({ until }, zone) => ({
    label: filterWords.until,
    value: until === undefined ? '…' : timeWords(until, zone),
  }),
  user_id: (_, __, known) => ({ label: filterWords.user_id, value: known }),
  case_queue_id: (_, __, known) => ({ label: 'Queue is', value: known }),
  source: ({ source }) => ({ label: 'Source is', value: source === undefined ? '…' : sourceWords[source] }),
  search: ({ search }) => ({ label: filterWords.search, value: search ?? '…' }),
  has_issues: ({ has_issues }) => ({
    label: filterWords.has_issues,
    value: has_issues === undefined ? '…' : issueWords[has_issues],
  }),
  issue_severity: ({ issue_severity }) => ({
    label: 'Severity is',
    value: issue_severity === undefined ? '…' : severityWords[issue_severity],
  }),
}

/** The name behind an id; the id itself where nobody knows it. */
function useNames(name: FilterName, { agent_id, user_id, case_queue_id }: RunsSearch): string | undefined {
  const agent = useQuery({ ...agentQuery(agent_id ?? ''), enabled: name === 'agent_id' && agent_id !== undefined })
  const members = useQuery({ ...membersQuery, enabled: name === 'user_id' && user_id !== undefined })
  const queues = useQuery({ ...queueNamesQuery, enabled: name === 'case_queue_id' && case_queue_id !== undefined })
  if (name === 'agent_id') return agent.data?.name ?? agent_id
  if (name === 'user_id') return members.data?.members.find(({ id }) => id === user_id)?.name ?? user_id
  if (name === 'case_queue_id') return queues.data?.find(({ id }) => id === case_queue_id)?.name ?? case_queue_id
  return undefined
}
