// The words for the states and priorities of cases, and the shape of each state.
import type { Case } from '@runyard/sdk'
import type { Shape } from '../../look/StatusShape.tsx'

export type CaseStatus = Case['display_status']
export type CasePriority = Case['priority']

export const caseStatuses = ['pending', 'in_progress', 'needs_input', 'postponed', 'completed', 'failed'] as const
export const priorities = ['high', 'medium', 'none'] as const

export const caseStatusWords: Record<CaseStatus, string> = {
  pending: 'Pending',
  in_progress: 'In progress',
  needs_input: 'Needs input',
  postponed: 'Postponed',
  completed: 'Completed',
  failed: 'Failed',
}

export const caseShapes: Record<CaseStatus, Shape> = {
  pending: 'pending',
  in_progress: 'running',
  needs_input: 'human',
  postponed: 'wait',
  completed: 'done',
  failed: 'failed',
}

export const priorityWords: Record<CasePriority, string> = { none: 'none', medium: 'medium', high: 'high' }

/** `region: eu`; a label without a key is its value. */
export const labelWords = ({ key, value }: { key: string; value: string }): string =>
  key === '' ? value : `${key}: ${value}`
