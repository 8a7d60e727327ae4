// Background work: a job is declared once, enqueued in the transaction of the change that asks for it, and safe to run twice.
import type { Sql } from '../base/db.ts'
import type { Context } from './context.ts'
import { Type, type Static, type TObject } from './schema.ts'

export interface JobCall<Input> {
  input: Input
  context: Context
  sql: Sql
  /** Aborted when the process must stop before the job is done. */
  signal: AbortSignal
}

export interface Job<Input = unknown> {
  name: string
  input: TObject
  /** Why a second run of the same job does no harm, in one line. */
  safeToRepeat: string
  /** Five cron fields (UTC) for housekeeping that repeats by itself; it gets an empty input. */
  cron?: string
  attemptsMax: number
  handler: (call: JobCall<Input>) => Promise<void>
  /** How far the work has come. Deaths are added up only while this text stays the same; without it they are always added up. */
  place?: ((call: Pick<JobCall<Input>, 'input' | 'sql'>) => Promise<string>) | undefined
  /**
   * Called when the job is not tried again, in one transaction: records that where people look for it. `deaths`: how many processes died over it;
   * 0: its last attempt failed. What was recorded before stays.
   */
  givenUp?: ((call: Pick<JobCall<Input>, 'input' | 'sql'> & { deaths: number }) => Promise<void>) | undefined
}

/** A job as graphile-worker hands it out. Its type says that an id is a text, but our pool reads an int8 as a number. */
export interface TakenJob {
  id: string | number
  key: string | null
  attempts: number
  max_attempts: number
}

interface JobDeclaration<Input extends TObject> {
  name: string
  /** Ids, never copies of rows: the handler reads what is true when it runs. */
  input?: Input
  safeToRepeat: string
  cron?: string
  attemptsMax?: number
  handler: (call: JobCall<Static<Input>>) => Promise<void>
  place?: Job<Static<Input>>['place']
  givenUp?: Job<Static<Input>>['givenUp']
}

export function job<Input extends TObject = TObject<Record<never, never>>>(
  declaration: JobDeclaration<Input>,
): Job<Static<Input>> {
  const { input, attemptsMax, ...rest } = declaration
  return { ...rest, input: input ?? Type.Object({}), attemptsMax: attemptsMax ?? 25 }
}

export interface EnqueueOptions {
  runAt?: Date
  /** One job per key: enqueuing again replaces the one that waits. */
  key?: string
  queueName?: string
  priority?: number
}

export type Enqueue = <Input extends object>(job: Job<Input>, input: Input, options?: EnqueueOptions) => Promise<void>

/** Adds jobs inside the caller's transaction: they exist exactly when the change does. */
export function enqueueOn(sql: Sql): Enqueue {
  return async (wanted, input, options = {}) => {
    await sql`
      select graphile_worker.add_job(
        ${wanted.name}, ${JSON.stringify(input)}::json,
        queue_name => ${options.queueName ?? null}, run_at => ${options.runAt ?? null},
        max_attempts => ${wanted.attemptsMax}, job_key => ${options.key ?? null}, priority => ${options.priority ?? 0},
        flags => ${flagsOf(input)}::text[])`
  }
}

/** The flag of every job that works for a team, whichever it is. */
export const teamJobFlag = 'team'
export const flagOfTeam = (teamId: string): string => `team ${teamId}`

/** The team that a job works for, by its input; undefined for housekeeping of the service. */
export function teamOf(input: unknown): string | undefined {
  const { team_id } = (input ?? {}) as { team_id?: unknown }
  return typeof team_id === 'string' ? team_id : undefined
}

/** With these flags a process leaves out the jobs of teams that already hold their share of its slots. */
export function flagsOf(input: unknown): string[] | null {
  const team = teamOf(input)
  return team === undefined ? null : [teamJobFlag, flagOfTeam(team)]
}
