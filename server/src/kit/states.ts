// The words for states that tables, events and the wire share. Each list is written once, here.

export const runStatuses = ['pending', 'running', 'waiting', 'completed', 'failed', 'stopped'] as const
/** Runs that may still do something. */
export const activeStatuses = ['pending', 'running', 'waiting'] as const satisfies (typeof runStatuses)[number][]
export const endedStatuses = ['completed', 'failed', 'stopped'] as const satisfies (typeof runStatuses)[number][]

/** What started a run. */
export const runSources = [
  'api',
  'schedule',
  'case_trigger',
  'trigger',
  'mcp',
  'console',
  'agent',
  'retry',
  'artifact',
] as const
export type RunSource = (typeof runSources)[number]

export const stepStates = ['intent', 'waiting', 'approval', 'done', 'failed', 'cut_off', 'in_doubt'] as const
export const stepKinds = ['model', 'tool', 'human', 'wait', 'sub_run'] as const

export const requestTypes = ['approval', 'question', 'form', 'login'] as const
export type RequestType = (typeof requestTypes)[number]
export const requestStatuses = ['pending', 'responded', 'cancelled', 'expired'] as const
/** What becomes of a request that nobody answers in time. */
export const onTimeouts = ['fail', 'approve', 'reject', 'continue'] as const

/** What a person sees of a case; its `status` on the wire is pending until it has ended. */
export const caseStatuses = ['pending', 'in_progress', 'needs_input', 'postponed', 'completed', 'failed'] as const
export type CaseStatus = (typeof caseStatuses)[number]

export const endedCaseStatuses = ['completed', 'failed'] as const satisfies readonly CaseStatus[]

export const buildStatuses = ['draft', 'live', 'historic'] as const

/** The table stores a priority as its position in this list. */
export const priorities = ['none', 'medium', 'high'] as const
export type Priority = (typeof priorities)[number]

/** The search of runs stores the severities that were found as bits: the first is 1, the second 2, the third 4. */
export const severities = ['critical', 'medium', 'low'] as const
export type Severity = (typeof severities)[number]
