// Words about an artifact: its state, who sees it, and how often it is refreshed.
import type { Artifact } from '@runyard/sdk'
import type { Shape } from '../../look/StatusShape.tsx'

export const titleOf = ({ title }: Pick<Artifact, 'title'>): string => title ?? 'Untitled page'

type State = Pick<Artifact, 'status' | 'pending_question' | 'html_code_present' | 'refresh_error'>

/** What a person should know of it at a glance; undefined: all is well. */
export function stateOf(artifact: State): { shape: Shape; says: string } | undefined {
  const { status, pending_question, html_code_present, refresh_error } = artifact
  if (pending_question) return { shape: 'human', says: 'asks something' }
  if (status === 'pending') return { shape: 'pending', says: 'waits for a slot' }
  if (status === 'running') return { shape: 'running', says: html_code_present ? 'is being changed' : 'is being made' }
  if (refresh_error !== null) return { shape: 'failed', says: 'the last refresh failed' }
  if (html_code_present) return undefined
  if (status === 'failed') return { shape: 'failed', says: 'could not be made' }
  if (status === 'interrupted') return { shape: 'stopped', says: 'was stopped before its first page' }
  return { shape: 'pending', says: 'has no page yet' }
}

export const visibilityNames: Record<Artifact['visibility'], string> = {
  private: 'Private',
  team: 'Team',
  public: 'Public',
}

export const frequencies: Record<NonNullable<Artifact['refresh_frequency']>, string> = {
  every_15_minutes: 'every 15 minutes',
  every_30_minutes: 'every 30 minutes',
  hourly: 'every hour',
  every_6_hours: 'every 6 hours',
  daily: 'every day',
  weekly: 'every week',
}
