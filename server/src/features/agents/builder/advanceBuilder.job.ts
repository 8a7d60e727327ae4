// Continues a builder run until it must stop: with a proposal, a question, or a failure with its reason.
import { isConnectionTrouble, type Sql } from '../../../base/db.ts'
import { teamShare } from '../../../base/fairPool.ts'
import { createSharedPool } from '../../../kit/sharedPools.ts'
import { ModelRefused, ModelTrouble, usageOf } from '../../../drivers/model/model.ts'
import { noteModelUse } from '../../../engine/counting/usage.ts'
import type { Context } from '../../../kit/context.ts'
import { enqueueOn, job, type Job, type JobCall } from '../../../kit/job.ts'
import { Type } from '../../../kit/schema.ts'
import { builtinBuilder, jobOptionsOf } from './builderRun.ts'
import { buildDeterministically } from './deterministicBuilder.ts'
import {
  BuilderRunFenced,
  claimBuilderRun,
  failBuilderRun,
  progressOfBuilderRun,
  putOff,
  type BuilderError,
  type HeldBuilderRun,
} from './heldBuilderRun.ts'
import { buildByModel, spentOn } from './modelBuilder.ts'
import { runningPart } from '../../../kit/runningPart.ts'

/** How often the provider may fail at one turn: about four minutes with the pauses, while somebody waits. */
const troublesMax = 8
/** How often a builder run may be claimed without progress: what ends its process every time must not be repeated for ever. */
const claimsMax = 25
const pauseMaxMs = 10 * 60_000

interface Input {
  builder_run_id: string
  team_id: string
}

export const advanceBuilder: Job<Input> = job({
  name: 'advanceBuilder',
  input: Type.Object({ builder_run_id: Type.String(), team_id: Type.String() }),
  safeToRepeat: 'it continues from what the row says, and every write needs the epoch that its own claim gave',
  // a process that is killed costs the job an attempt; how often is too often is counted in the row
  attemptsMax: 1000,
  async handler(call) {
    const { context, input, sql } = call
    const release = builderSlotsOf(context).tryTake(input.team_id)
    if (!release) {
      const runAt = new Date(Date.now() + lookAgainMs)
      return enqueueOn(sql)(advanceBuilder, input, { ...jobOptionsOf(input.builder_run_id), runAt })
    }
    try {
      const held = await claimBuilderRun(sql, input.builder_run_id, input.team_id)
      if (held) await advanceWhileOurs(held, call)
    } finally {
      release()
    }
  },
  place: ({ input, sql }) => progressOfBuilderRun(sql, input.builder_run_id),
  async givenUp({ input, sql, deaths }) {
    // attempts are used up while the database is away; then the builder run gets another job (reviveBuilderRuns)
    if (deaths === 0) return
    const held = await claimBuilderRun(sql, input.builder_run_id, input.team_id)
    if (held) await failBuilderRun(sql, held, diedOver(deaths))
  },
})

const diedOver = (deaths: number): BuilderError => ({
  code: 'internal_error',
  message:
    `At least ${deaths} processes of the service died while they worked on this builder run, so it was given up. ` +
    'Generate again; if it stays so, the operator finds the reason in the log.',
})

const lookAgainMs = 1000

/** The slots of this process for builder runs. */
export const builderSlotsOf = runningPart('builder slots', (context) => {
  const size = slotsOf(context)
  return createSharedPool(context, { name: 'builder runs', size, perTeam: teamShare(size, context.config.teamShare) })
})

/** How many of a process's ten job slots builder runs may take: a model may take minutes, and short jobs need slots too. */
const slotsOf = ({ config }: Context): number => Math.max(1, Math.min(4, Math.floor(config.workerConcurrency / 2)))

async function advanceWhileOurs(held: HeldBuilderRun, call: JobCall<Input>): Promise<void> {
  try {
    await advance(held, call)
  } catch (error) {
    if (!(error instanceof BuilderRunFenced)) throw error
    await noteUncounted(held, call)
  }
}

/** An answer that comes after the builder run was discarded is paid for all the same. */
async function noteUncounted(held: HeldBuilderRun, { context, sql }: JobCall<Input>): Promise<void> {
  const { id, team_id, uncounted } = held
  if (!uncounted) return
  const [left] = await sql<{ status: string }>`
    select status from builder_runs where id = ${id} and team_id = ${team_id}`
  // its team was erased, or whoever claimed it has counted this call as unsettled
  if (!left || (!uncounted.usage && left.status !== 'discarded')) return
  await noteUse(context, sql, held)
}

const noteUse = (context: Context, sql: Sql, held: HeldBuilderRun): Promise<void> => {
  const { team_id, agent_id, model, uncounted } = held
  const usage = uncounted?.usage
  const cost_usd = usage ? spentOn(context, held, usage).cost_usd : '0'
  return noteModelUse(sql, { team_id, agent_id, model, purpose: 'builder', usage, cost_usd })
}

async function advance(held: HeldBuilderRun, { context, sql, signal }: JobCall<Input>): Promise<void> {
  if (held.attempt > claimsMax) return failBuilderRun(sql, held, cutOffTooOften)
  try {
    if (held.model === builtinBuilder) await buildDeterministically(held, { context, sql })
    else await buildByModel(held, { context, sql, signal })
  } catch (error) {
    signal.throwIfAborted()
    // if nothing can be written, the job engine runs the job again
    if (error instanceof BuilderRunFenced || isConnectionTrouble(error)) throw error
    await afterTrouble(context, held, error)
  }
}

const cutOffTooOften: BuilderError = {
  code: 'interrupted',
  message:
    `The builder was begun ${claimsMax} times and cut off each time before it came forward. ` +
    'Generate again; if it stays so, the operator finds the reason in the log.',
}

async function afterTrouble(context: Context, held: HeldBuilderRun, error: unknown): Promise<void> {
  const uncounted = (held.uncounted = uncountedAfter(error, held))
  const spent = uncounted?.usage && spentOn(context, held, uncounted.usage)
  if (error instanceof ModelRefused) {
    return failBuilderRun(context.db.sql, held, { code: error.code, message: error.message }, spent)
  }
  const isTheirs = error instanceof ModelTrouble
  const noteUnsettled = async (sql: Sql) => {
    if (uncounted && !spent) await noteUse(context, sql, held)
  }
  if (!isTheirs) context.log.error({ err: error, builder_run_id: held.id }, 'a builder run could not be advanced')
  const reason = isTheirs ? error.message : 'The server failed. Its operator finds the reason in the log.'
  const troubles = held.troubles + 1
  if (troubles >= troublesMax) {
    const code = isTheirs ? 'model_unavailable' : 'internal_error'
    const message = `It did not come forward in ${troubles} attempts. The last one: ${reason} Generate again later.`
    return context.db.transaction(async (sql) => {
      await failBuilderRun(sql, held, { code, message }, spent)
      await noteUnsettled(sql)
    })
  }
  const pauseMs = pauseAfter(troubles, isTheirs ? error.retryAfterMs : undefined)
  const turn = held.messages.filter(({ kind }) => kind === 'assistant').length + 1
  const line = `Turn ${turn}, attempt ${troubles}: ${reason} Trying again in ${Math.ceil(pauseMs / 1000)} s.`
  await context.db.transaction(async (sql) => {
    const runAt = await putOff(sql, held, pauseMs, line, spent)
    await noteUnsettled(sql)
    const input = { builder_run_id: held.id, team_id: held.team_id }
    await enqueueOn(sql)(advanceBuilder, input, { ...jobOptionsOf(held.id), runAt })
  })
}

function uncountedAfter(error: unknown, { uncounted }: HeldBuilderRun): HeldBuilderRun['uncounted'] {
  const usage = usageOf(error)
  if (usage) return { usage }
  if (error instanceof ModelRefused) return undefined
  if (error instanceof ModelTrouble) return error.mayBeServed ? { usage } : undefined
  // the mistake is ours, and its model may have answered before
  return uncounted
}

/** The pause doubles from a second, with a random part. A pause that the provider asks for replaces it. */
function pauseAfter(attempt: number, wishMs: number | undefined): number {
  const usual = 1000 * 2 ** (attempt - 1) * (0.75 + Math.random() / 2)
  return Math.round(Math.min(pauseMaxMs, wishMs === undefined ? usual : Math.max(wishMs, 100)))
}
