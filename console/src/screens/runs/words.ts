// The words that the list of runs has for the values of the API.
import { statusWord } from '../../parts/Status.tsx'
import { severities, sources, type FilterName, type FilterStatus } from './search.ts'

export const filterWords: Record<FilterName, string> = {
  status: 'Status',
  agent_id: 'Agent',
  since: 'Started since',
  until: 'Started before',
  user_id: 'Started by',
  case_queue_id: 'Queue',
  source: 'Source',
  search: 'Words',
  has_issues: 'Issues',
  issue_severity: 'Severity',
}

export const sourceWords: Record<(typeof sources)[number], string> = {
  api: 'API',
  schedule: 'schedule',
  case_trigger: 'case',
  trigger: 'trigger',
  mcp: 'MCP',
  console: 'console',
  agent: 'sub-run',
  retry: 'retry',
  artifact: 'artifact',
}

export const severityWords: Record<(typeof severities)[number], string> = {
  critical: 'critical',
  medium: 'medium',
  low: 'low',
}

export const issueWords = { true: 'found', false: 'none found' }

export const filterStatusWord = (status: FilterStatus): string =>
  status === 'needs_attention' ? 'Waiting for a person' : statusWord(status)
