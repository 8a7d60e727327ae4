// A seal: what is said of the log of a run when it has ended. Its text can be made again from the run and the links of its rows, and its
// SHA-256 is the head that is signed.
import { hash } from 'node:crypto'

/** Rows that are linked: how many, and the link after the last. */
export interface Linked {
  rows: number
  link: Buffer
}

/** What of a run never changes. */
export interface SealedRun {
  id: string
  team_id: string
  agent_id: string
  build_id: string
  source: string
  user_id: string | null
  case_id: string | null
  parent_run_id: string | null
  created_at: Date
}

export interface Seal {
  number: number
  configHash: Buffer
  events: Linked & { last: number }
  steps: Linked
  /** The messages that are cut in their events. */
  messages: Linked
  /** The head of the seal before; null: it is the first. */
  before: Buffer | null
}

/** One line. The order of its fields is part of the format (docs/guides/evidence.md). */
export function sealText(run: SealedRun, { number, configHash, events, steps, messages, before }: Seal): string {
  return JSON.stringify({
    format: 'runyard-seal-1',
    team_id: run.team_id,
    run_id: run.id,
    agent_id: run.agent_id,
    build_id: run.build_id,
    config_sha256: configHash.toString('hex'),
    source: run.source,
    user_id: run.user_id,
    case_id: run.case_id,
    parent_run_id: run.parent_run_id,
    created_at: run.created_at.toISOString(),
    number,
    events: { last: events.last, rows: events.rows, link: events.link.toString('hex') },
    steps: { rows: steps.rows, link: steps.link.toString('hex') },
    messages: { rows: messages.rows, link: messages.link.toString('hex') },
    before: before?.toString('hex') ?? null,
  })
}

export const headOf = (text: string): Buffer => hash('sha256', text, 'buffer')

interface SignedHeads {
  id: string
  team_id: string
  key_id: string
  at: Date
  heads: Buffer[]
}

export const headBytes = 32

/** What is signed: the heads of seals of one team that were made together. */
export const signedText = ({ id, team_id, key_id, at, heads }: SignedHeads): string =>
  JSON.stringify({
    format: 'runyard-signature-1',
    id,
    team_id,
    key_id,
    at: at.toISOString(),
    heads: heads.map((head) => head.toString('hex')),
  })
