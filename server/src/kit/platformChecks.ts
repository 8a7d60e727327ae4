// The checks that the service makes of every ended run: their flags, their names for people, and how severe it is when one does not pass.
import type { Severity } from './states.ts'

interface PlatformCheck {
  label: string
  severity: Severity
}

export const platformChecks = {
  ended_by_itself: { label: 'Ended by itself', severity: 'critical' },
  tool_errors_handled: { label: 'Tool errors were handled', severity: 'medium' },
  no_repeated_calls: { label: 'No call was repeated', severity: 'low' },
  case_closed: { label: 'The case was closed', severity: 'medium' },
  limits_kept: { label: 'Limits were kept', severity: 'medium' },
  no_secret_printed: { label: 'No secret was printed', severity: 'critical' },
} as const satisfies Record<string, PlatformCheck>

export type PlatformFlag = keyof typeof platformChecks
