// Which older code may run on a schema: what migrations say about it, and what a database remembers of that.
import type { Client } from 'pg'
import previous from './previousRelease.json' with { type: 'json' }
import { firstRow } from './rows.ts'

/** The release before this code: processes of both run side by side during an upgrade. */
export const previousRelease: { commit: string; date: string; migrations: number } = previous

/** The newest migration that says nothing about older code: code that knows less does not ask, and refuses every newer database. */
export const lastUndeclared = 101

const declaration = /^-- Older code: (works|must stop)\.$/m

/** Whether processes of the previous release work on the schema that a migration makes, as it says; undefined if it says nothing. */
export const olderCodeIn = (text: string): 'works' | 'must stop' | undefined =>
  declaration.exec(text)?.[1] as 'works' | 'must stop' | undefined

/**
 * How many migrations code must know to run on a schema with this one: as many as the previous release, since nothing older was ever tried beside
 * this code. A migration that does not say that older code works is only for code that knows it.
 */
export function codeSince({ number, text }: { number: number; text: string }): number {
  if (number <= lastUndeclared) return 0
  return olderCodeIn(text) === 'works' ? previousRelease.migrations : number
}

/** What code must know to run on this database. The database carries it, since older code has no file of a newer migration. */
export async function readCodeSince(client: Client): Promise<number> {
  // through JSON: a database that only older code has migrated has no such column
  const { rows } = await client.query<{ since: number }>(
    `select coalesce(max(coalesce((to_jsonb(m) ->> 'code_since')::int, m.number)), 0) as since from schema_migrations m`,
  )
  return firstRow(rows).since
}

/** A process that works on the database while it is migrated. */
export interface LivingCode {
  role: string
  host: string
  pid: number
  version: string | null
  /** How many it knows; null if it has not said so, as releases before the previous one. */
  migrations: number | null
  /** For how long it lives. */
  seconds: number
}

/** The roles of a service. Only commands never say what they know: they are short, and refuse a database that is not theirs. */
const serviceRoles = new Set(['api', 'worker', 'all'])

export const isSilentService = ({ role, migrations }: LivingCode): boolean =>
  migrations === null && serviceRoles.has(role)

/** The processes that could not work on a schema that needs such code. The previous release says what it knows, so a service that is silent is older. */
export const tooOld = <Process extends LivingCode>(living: Process[], since: number): Process[] =>
  living.filter((one) => (one.migrations ?? (isSilentService(one) ? 0 : previousRelease.migrations)) < since)

/** The processes as an operator finds them. */
export const namesOf = (living: Pick<LivingCode, 'role' | 'host' | 'pid'>[]): string =>
  living.map(({ role, host, pid }) => `${role}, process ${pid} on ${host}`).join('; ')
