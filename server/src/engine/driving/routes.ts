// The models that a run may ask, in the order of its build: which one is asked now, and when the next one is taken instead.
import type { Sql } from '../../base/db.ts'
import type { ModelRefused, ModelTrouble } from '../../drivers/model/model.ts'
import { isCall, newChange, putStep, type ModelStep } from '../ledger/change.ts'
import type { Account } from './breakers.ts'
import { commit, showView, type HeldRun } from './heldRun.ts'
import { ended } from './releaseRun.ts'
import { isForGood, usableModels, type LeftFor, type LeftModel, type Routes } from './routeState.ts'
import { noteModel } from './runTelemetry.ts'

const accountOf = ({ routes, run, modelName }: HeldRun, name = modelName): Account => ({
  provider: name.slice(0, name.indexOf(':')),
  teamId: run.team_id,
  isOwn: routes.team.accessOf(name) !== '',
})

/** What the ledger says about the models that this run has left: for good, or in the turn that comes next. */
export async function recallRoutes(held: HeldRun, sql: Sql): Promise<void> {
  if (held.routes.names.length < 2) return
  held.routes.left = await sql<LeftModel>`
    select tool as name, turn, result->>'reason' as reason, coalesce(error, '') as message, result ? 'ends_round' as ends_round
    from run_steps
    where run_id = ${held.run.id} and kind = 'model' and state = 'failed' and result ? 'left_for'
      and (turn >= ${held.turn}::int or result->>'reason' in ('policy', 'key'))
    order by seq`
}

/** Before each turn: the first model that may be asked now. A step that was begun is continued with its own. */
export async function chooseRoute(held: HeldRun): Promise<void> {
  if (held.model.isPure) return
  const { routes, run, build } = held
  routes.team = await routes.models.of(run.team_id)
  routes.names = usableModels(build, routes.team)
  const begun = held.open.find((step): step is ModelStep => !isCall(step))
  const isKept = begun?.tool && routes.names.includes(begun.tool)
  if (begun && !isKept) await endUnusable(held, begun)
  const name = isKept ? begun.tool! : await preferred(held)
  if (name !== held.modelName || routes.access !== routes.team.accessOf(name)) useRoute(held, name)
}

/** The team does not let it be used any more, or nobody has a key for it. */
async function endUnusable(held: HeldRun, step: ModelStep): Promise<void> {
  const change = newChange(held.run, held.turn)
  putStep(change, ended(step, 'failed', `The model ${step.tool} can no longer be used.`))
  change.reserved_usd = '0'
  await commit(held, change)
  held.open = held.open.filter(({ seq }) => seq !== step.seq)
}

/** What was left for good, and in this turn since all models were asked. */
function leftNow({ left }: Routes, turn: number): LeftModel[] {
  const since = left.findLastIndex((one) => one.ends_round && one.turn === turn)
  return left.filter((one, at) => isForGood(one.reason) || (one.turn === turn && at > since))
}

const isLeft = (routes: Routes, name: string, turn: number): boolean =>
  leftNow(routes, turn).some((one) => one.name === name)

const isLeftForGood = ({ left }: Routes, name: string): boolean =>
  left.some((one) => one.name === name && isForGood(one.reason))

async function preferred(held: HeldRun): Promise<string> {
  const { names, breakers } = held.routes
  const free = names.filter((name) => !isLeft(held.routes, name, held.turn + 1))
  if (names.length > 1) {
    for (const name of free) if (!(await breakers.isOpen(accountOf(held, name)))) return name
  }
  return free[0] ?? (names.includes(held.modelName) ? held.modelName : names[0]!)
}

function useRoute(held: HeldRun, name: string): void {
  const { routes } = held
  routes.access = routes.team.accessOf(name)
  held.model = routes.team.find(name)
  held.setup = { ...held.setup, model: name }
  held.window = routes.models.windowOf(name)
  held.sight = routes.models.sightOf(name)
  held.refusal = undefined
  // what one model's refusal taught about its window says nothing about another's
  const view = name === held.modelName ? held.view : { ...held.view, window: null }
  held.modelName = name
  noteModel(held.telemetry, name)
  showView(held, view).open()
}

/** A refusal that another model may not share: by the provider's policy, or of its key. */
export function refusalReason(error: ModelRefused): LeftFor | undefined {
  if (error.code === 'model_refused') return 'policy'
  return error.code === 'model_auth' ? 'key' : undefined
}

/** An answer that broke off may have been an accident: it is asked for once more. */
const brokenMax = 2

/** Whether the run has waited long enough for this provider, where it has another. `pauseMs`: how long it would wait now. */
export function isPastPatience(step: ModelStep, trouble: ModelTrouble, pauseMs: number, patienceMs: number): boolean {
  if (trouble.kind === 'down') return true
  if (trouble.kind === 'broken') return step.attempt >= brokenMax
  const troubles = (step.moments ?? []).flatMap((moment) => (moment.kind === 'trouble' ? [Date.parse(moment.at)] : []))
  const since = Math.min(Date.now(), ...troubles)
  return Date.now() + pauseMs - since > patienceMs
}

interface Leaving {
  step: ModelStep
  reason: LeftFor
  message: string
  /** What the refused answer used, if it is not counted yet. */
  used?: { input_tokens: number; output_tokens: number; cost_usd: string }
}

/** Ends the step of this model and takes the next one, in one commit; false: there is no other that could answer. */
export async function leaveRoute(held: HeldRun, leaving: Leaving): Promise<boolean> {
  const next = await nextRoute(held, leaving.step.turn, leaving.reason)
  if (next === undefined) return false
  await leaveFor(held, next, leaving, false)
  return true
}

async function leaveFor(held: HeldRun, next: string, leaving: Leaving, endsRound: boolean): Promise<void> {
  const { step, reason, message, used } = leaving
  const change = newChange(held.run, held.turn)
  const result = { left_for: next, reason, ...(endsRound && { ends_round: true }) }
  putStep(change, { ...ended(step, 'failed', message), result })
  change.usage = { ...change.usage, ...used }
  change.reserved_usd = '0'
  await commit(held, change)
  held.routes.left.push({ name: held.modelName, turn: step.turn, reason, message, ends_round: endsRound })
  useRoute(held, next)
}

/** Where a provider only has trouble, those that have trouble too are no better. */
async function nextRoute(held: HeldRun, turn: number, reason: LeftFor): Promise<string | undefined> {
  const { routes, modelName } = held
  const others = routes.names.filter((name) => name !== modelName && !isLeft(routes, name, turn))
  for (const name of others) if (!(await routes.breakers.isOpen(accountOf(held, name)))) return name
  return isForGood(reason) ? others[0] : undefined
}

/** Whether there is more than one model that may answer once its provider works again. */
export const hasOthers = ({ routes, modelName }: HeldRun): boolean =>
  routes.names.some((name) => name !== modelName && !isLeftForGood(routes, name))

/** How often in this turn all models were asked and none of them answered. */
export const roundsOf = ({ routes }: HeldRun, turn: number): number =>
  routes.left.filter((one) => one.ends_round && one.turn === turn).length

/** No model of the list answered: the step of the last one ends, and the first is asked next, after a pause. */
export async function endRound(held: HeldRun, leaving: Leaving): Promise<void> {
  const free = held.routes.names.filter((name) => !isLeftForGood(held.routes, name))
  let next = free[0] ?? held.modelName
  for (const name of free) {
    if (await held.routes.breakers.isOpen(accountOf(held, name))) continue
    next = name
    break
  }
  await leaveFor(held, next, leaving, true)
}

/** Why none of the models answered, each with its own reason; just the last one's where there is no other. */
export function whyNone({ routes, modelName }: HeldRun, turn: number, message: string): string {
  const others = routes.names.filter((name) => name !== modelName)
  if (others.length === 0) return message
  const reasons = [...others, modelName].map((name) => {
    const left = routes.left.findLast((one) => one.name === name && (one.turn === turn || isForGood(one.reason)))
    const why =
      name === modelName ? message : (left?.message ?? 'It was not asked, since it failed again and again lately.')
    return `${name}: ${why}`
  })
  return `None of its ${reasons.length} models answered. ${reasons.join(' ')}`
}

export const noteAnswer = (held: HeldRun): Promise<void> => held.routes.breakers.worked(accountOf(held))

/** An answer that broke off or was empty is no sign of a provider that is away: what the model was asked may be the reason. */
export async function noteFailure(held: HeldRun, { kind }: ModelTrouble): Promise<void> {
  if (kind !== 'broken') await held.routes.breakers.failed(accountOf(held))
}
