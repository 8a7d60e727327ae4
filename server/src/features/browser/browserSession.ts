// A run's browser session as it is stored: its row, its sealed state, and the notes that the next result must give about a session that was
// opened again.
import { newId } from '../../base/ids.ts'
import { part } from '../../base/db.ts'
import type { SealedColumn } from '../../base/sealedColumns.ts'
import type { BrowserSession, SessionState } from '../../drivers/browser/browser.ts'
import { engineOf } from '../../engine/engine.ts'
import { isAllowedHost } from '../../engine/guardrails/rules.ts'
import { isOfVisibleRun, requireRunChange } from '../../engine/ledger/visibleRuns.ts'
import type { Context } from '../../kit/context.ts'
import { resource } from '../../kit/resources.ts'
import type { CallingRun } from '../../kit/tool.ts'
import { browserOf } from '../../kit/browserOf.ts'
import { sessionSlotsOf } from './sessionSlots.ts'

interface SessionRow {
  id: string
  run_id: string
  status: 'open' | 'closed'
}

export const session = resource(
  'session',
  (sql, id, teamId, { member_id }) => sql<SessionRow>`
    select id, run_id, status from browser_sessions s
    where id = ${id} and team_id = ${teamId} and ${isOfVisibleRun(member_id, part`s.run_id`)}`,
  (sql, { run_id }, { member_id }) => requireRunChange(sql, run_id, member_id),
)

declare module '../../kit/resources.ts' {
  interface Resources {
    session: SessionRow
  }
}

const purposeOf = (sessionId: string): string => `state of the browser session ${sessionId}`

export const sealedState: SealedColumn = {
  table: 'browser_sessions',
  column: 'state',
  key: ['id'],
  purpose: (row) => purposeOf(row['id'] ?? ''),
}

/** What a site stores is the site's choice; a larger state is stored without the storage of the sites. */
const stateBytesMax = 1024 * 1024

export function sealState({ keyring }: Context, sessionId: string, state: SessionState): Buffer {
  const whole = JSON.stringify(state)
  const isSmall = Buffer.byteLength(whole) <= stateBytesMax
  const kept = isSmall ? whole : JSON.stringify({ ...state, storage: { ...state.storage, origins: [] } })
  return keyring.seal(kept, purposeOf(sessionId))
}

/** The browser session that a process holds for a run. */
export interface HeldSession {
  id: string
  browser: BrowserSession
  /** What the next result must say about how the session was opened. */
  note: string | undefined
  close(): Promise<void>
}

const reopened =
  'The browser was opened again: cookies and storage were restored and its pages loaded again; what was typed into forms was not.'
const openedEmpty = 'The browser was opened again, empty: the session before was closed with the end of the run.'

const noted =
  ({ log }: Context) =>
  (error: unknown) =>
    log.debug({ err: error }, 'the guardrails of a team were not read; the last ones known count')

/** Opens the run's session, or opens it again from what was recorded with the last call. */
export async function openSession(context: Context, run: CallingRun, signal: AbortSignal): Promise<HeldSession> {
  const [row] = await context.db.sql<{ id: string; state: Buffer | null }>`
    select id, state from browser_sessions where run_id = ${run.id} and team_id = ${run.team_id}`
  const sealed = row?.state
  const state = sealed
    ? (JSON.parse(context.keyring.open(sealed, purposeOf(row.id)).toString()) as SessionState)
    : undefined
  const release = await sessionSlotsOf(context).take(run.team_id, signal)
  const { guardrails } = engineOf(context)
  let rules = await guardrails.of(run.team_id)
  const mayReach = (host: string): boolean => {
    // what is not known at once is known for the next request
    const now = guardrails.of(run.team_id)
    if (now instanceof Promise) now.then((read) => (rules = read)).catch(noted(context))
    else rules = now
    return !rules?.allowed_hosts || isAllowedHost(rules.allowed_hosts, host)
  }
  const browser = await browserOf(context)
    .open({ signal, mayReach, ...(state && { state }) })
    .catch((error: unknown) => {
      release()
      throw error
    })
  return {
    id: row?.id ?? newId(),
    browser,
    note: row && (state ? reopened : openedEmpty),
    close: () => browser.close().finally(release),
  }
}
