// What a model wants to start runs of the draft, as bodies of the operations that make it: checked, and made only when a person accepts.
import { isDeepStrictEqual } from 'node:util'
import type { Sql } from '../../../base/db.ts'
import { Fault } from '../../../base/errors.ts'
import { isRecord } from '../../../base/isRecord.ts'
import { secretLikeLines } from '../../../base/secretLike.ts'
import type { Context } from '../../../kit/context.ts'
import type { Offered, OfferedKind, Starter, WantedStart } from '../../../kit/offers.ts'
import { runStartsOf } from '../../../kit/registry.ts'
import { effectiveScopes, type Role } from '../../../kit/scopes.ts'
import type { ProposedTrigger } from './builderRun.ts'
import type { HeldBuilderRun } from './heldBuilderRun.ts'
import { findOffered, type Missing } from './teamOffers.ts'
import { noDay, type WireStart } from './wantedSetup.ts'

interface Asked {
  context: Context
  sql: Sql
}

/** What was found so far. */
interface Draft {
  triggers: ProposedTrigger[]
  missing: Missing[]
  problems: string[]
}

export async function putStarts(draft: Draft, held: HeldBuilderRun, starts: WireStart[], asked: Asked): Promise<void> {
  const starter = await starterOf(held, asked.sql)
  for (const [index, wire] of starts.entries()) await putStart(draft, { held, wire, index, starter }, asked)
}

interface One {
  held: HeldBuilderRun
  wire: WireStart
  index: number
  starter: Starter | undefined
}

async function putStart(draft: Draft, { held, wire, index, starter }: One, asked: Asked): Promise<unknown> {
  const { context, sql } = asked
  const path = `setup.starts[${index}] (${wire.kind})`
  const complain = (message: string) => draft.problems.push(`${path}: ${message}`)
  const starts = runStartsOf(context).find(({ kinds }) => kinds(context).includes(wire.kind))
  if (!starts) return complain('this server cannot have one.')
  const pick = async (kind: OfferedKind, name: string): Promise<Offered | undefined> => {
    const { found, missing } = await findOffered(held, kind, [name], asked)
    draft.missing.push(...missing)
    return found.get(name)
  }
  const settings = await settingsOf(wire, pick)
  if (settings === undefined) return undefined
  if (typeof settings === 'string') return complain(settings)
  if (secretLikeLines(JSON.stringify(settings, null, 1)).length > 0) return complain(valueInStart)
  if (!starter) return complain('the person who asked is no longer in the team.')
  const wanted: WantedStart = { kind: wire.kind, settings }
  try {
    await starts.check({ sql, context, teamId: held.team_id, agentId: held.agent_id, starter, wanted })
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return complain(error.message)
  }
  const title = starts.title(wanted)
  if (draft.triggers.some((one) => isDeepStrictEqual(one.settings, settings))) return complain('it is there twice.')
  return draft.triggers.push({ kind: wire.kind, title, settings })
}

const valueInStart =
  'it holds what looks like the value of a secret. What starts runs never holds one: leave it out, the person gives it on the page of the trigger.'

/** The body of the operation that makes it; undefined: something that it names is missing; a text: what is wrong. */
async function settingsOf(
  { kind, ...given }: WireStart,
  pick: (kind: OfferedKind, name: string) => Promise<Offered | undefined>,
): Promise<Record<string, unknown> | string | undefined> {
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '' && value !== 0))
  if (kind === 'email') return fields
  if (kind === 'schedule') {
    const { day, ...rest } = fields
    return day === undefined || day === noDay ? rest : { ...rest, day }
  }
  if (kind === 'webhook') {
    const { verifier, ...rest } = fields
    return { ...rest, webhook: { verifier } }
  }
  if (kind === 'event') {
    const { event, agent, ...rest } = fields
    const heard = agent === undefined ? undefined : await pick('agents', String(agent))
    if (agent !== undefined && !heard) return undefined
    return { ...rest, event: { event, ...(heard && { agent_id: heard.id }) } }
  }
  if (kind === 'case') {
    const { queue = '', ...rest } = fields
    const found = await pick('queues', String(queue))
    return found && { ...rest, case_queue_id: found.id, case_queue_name: found.name }
  }
  const { connection = '', tool, arguments: text = '{}', items, every_minutes, ...rest } = fields
  const found = await pick('connections', String(connection))
  if (!found) return undefined
  const args = readArguments(String(text))
  if (!args) return 'arguments must be a JSON object, such as {"status": "open"}.'
  const poll = { connection_id: found.id, tool, arguments: args, ...(items !== undefined && { items }) }
  return { ...rest, poll: { ...poll, ...(every_minutes !== undefined && { every_minutes }) } }
}

function readArguments(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** With the rights of the member's role; those of whoever accepts count in the end. */
async function starterOf({ created_by, team_id }: HeldBuilderRun, sql: Sql): Promise<Starter | undefined> {
  const [member] = await sql<{ role: Role }>`
    select role from members where id = ${created_by} and team_id = ${team_id} and removed_at is null`
  return member && created_by !== null
    ? { member_id: created_by, scopes: effectiveScopes(['*'], member.role) }
    : undefined
}
