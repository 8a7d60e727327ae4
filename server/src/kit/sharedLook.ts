// One look for all loops of a process: whether anything is due is asked for all of them in one statement, because most of the time nothing is.
import { setImmediate as nextRound } from 'node:timers/promises'
import { isConnectionTrouble, joined, one, type Part } from '../base/db.ts'
import type { Context } from './context.ts'
import { runningPart } from './runningPart.ts'

interface Shared {
  /** Every condition that was asked for so far, in one order: so the statement stays the same, and its plan is kept. */
  conditions: Set<Part>
  /** The look that has not begun yet: whoever asks now is served by it. */
  next: Promise<Answers | undefined> | undefined
}

type Answers = Map<Part, boolean>

const sharedOf = runningPart('look', (): Shared => ({ conditions: new Set(), next: undefined }))

/**
 * Answers which of these hold, by a statement that begins after the call. Each condition must be answered by the first entry of an index,
 * however much there is: a slow one would hold up every loop of the process. It must be the same object at each call, for it stays part of
 * the statement.
 */
export async function lookFor<Name extends string>(
  context: Context,
  conditions: Record<Name, Part>,
): Promise<Record<Name, boolean>> {
  const shared = sharedOf(context)
  const asked = Object.entries<Part>(conditions)
  for (const [, condition] of asked) shared.conditions.add(condition)
  const together = await (shared.next ??= lookTogether(context, shared))
  const answers = together ?? (await look(context, Object.values(conditions)))
  return Object.fromEntries(asked.map(([name, condition]) => [name, answers.get(condition)])) as Record<Name, boolean>
}

/** It begins when all loops of the same beat have asked. */
async function lookTogether(context: Context, shared: Shared): Promise<Answers | undefined> {
  await nextRound()
  shared.next = undefined
  try {
    return await look(context, [...shared.conditions])
  } catch (error) {
    if (isConnectionTrouble(error)) throw error
    // a table that somebody has locked concerns only those who ask about it, so each asks alone
    context.log.debug({ err: error }, 'what is due could not be asked for all loops together')
    return undefined
  }
}

async function look({ db }: Context, conditions: Part[]): Promise<Answers> {
  const { found } = await one(db.sql<{ found: boolean[] }>`select array[${joined(conditions)}] as found`)
  return new Map(conditions.map((condition, index) => [condition, found[index]!]))
}
