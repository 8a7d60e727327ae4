// What a team has that a builder may put into a draft: records to pick from, and what starts runs. Each is kept by a feature of its own.
import { part, type Part, type Sql } from '../base/db.ts'
import { isId } from '../base/ids.ts'
import type { Context } from './context.ts'
import type { Caller } from './credential.ts'

export const offeredKinds = ['secrets', 'logins', 'skills', 'files', 'connections', 'queues', 'agents'] as const
export type OfferedKind = (typeof offeredKinds)[number]

/** A record that a member may put into a draft. No part of it is a value that nobody may see. */
export interface Offered {
  id: string
  /** The name by which drafts use it. */
  name: string
  /** What it is for, in a line. */
  says: string
}

export interface Offer {
  kind: OfferedKind
  /** What one of them is called in a sentence. */
  noun: string
  /** Where a person makes one. */
  where: string
  /**
   * Reads what this member may use, at most `limit` records: with one of these names or ids, or the newest. What is private to another member is
   * never among them.
   */
  read: (asked: {
    sql: Sql
    teamId: string
    memberId: string | null
    wanted: string[] | null
    limit: number
  }) => Promise<Offered[]>
}

/** SQL condition for `wanted` of an offer. */
export const isWanted = (name: Part, id: Part, wanted: string[] | null): Part =>
  wanted === null ? part`true` : part`(${name} = any(${wanted}::text[]) or ${id} = any(${wanted.filter(isId)}::uuid[]))`

export const startKinds = ['schedule', 'webhook', 'email', 'event', 'poll', 'case'] as const
export type StartKind = (typeof startKinds)[number]

/** What starts runs by itself, as it is asked for: the body of the operation that makes it. */
export interface WantedStart {
  kind: StartKind
  settings: Record<string, unknown>
}

/** For whom it is made: their rights are those that count. */
export type Starter = Pick<Caller, 'member_id' | 'scopes'>

interface OfAgent {
  sql: Sql
  context: Context
  teamId: string
  agentId: string
}

/** How a feature makes what starts runs. */
export interface RunStarts {
  /** Which kinds this server can have. */
  kinds: (context: Context) => readonly StartKind[]
  /** One in a line, for people. */
  title: (wanted: WantedStart) => string
  /** Describes what the agent has, each in a line. */
  list: (asked: OfAgent) => Promise<string[]>
  /** Throws the Fault of the operation that would make it. */
  check: (asked: OfAgent & { starter: Starter; wanted: WantedStart }) => Promise<void>
  /** Makes one that is paused, and answers with its id. */
  make: (asked: OfAgent & { starter: Starter; wanted: WantedStart }) => Promise<string>
  /** Finds those of these that nobody has touched since they were made, and that can work. */
  ready: (asked: OfAgent & { ids: string[] }) => Promise<string[]>
  /** Switches on those of these that are ready. */
  begin: (asked: OfAgent & { ids: string[] }) => Promise<void>
}
