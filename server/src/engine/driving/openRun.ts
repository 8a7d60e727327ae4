// Takes a claimed run into this process: its build, tools, models and secrets as they are now, and everything that happened before.
import { setImmediate } from 'node:timers/promises'
import type { Sql } from '../../base/db.ts'
import { scrubbed, type Scrub } from '../../base/knownSecrets.ts'
import { threadTimeMs } from '../../base/threadTime.ts'
import { bytesHeld } from '../../base/valueSize.ts'
import type { Context } from '../../kit/context.ts'
import { type ToolSet } from '../../kit/feature.ts'
import { connectionUseOf, givenToolsOf } from '../../kit/registry.ts'
import type { Bound } from '../../kit/tool.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import type { ClaimedRun } from '../admission/claim.ts'
import type { LoadedBuild } from '../builds/loadBuild.ts'
import { messageText } from '../ledger/change.ts'
import { entriesOf, readMessages, readSteps, readView } from '../ledger/history.ts'
import { watchLog } from '../ledger/watchedLog.ts'
import { isFolded } from './folded.ts'
import { callingRunOf, feed, note, showView, type DriveParts, type HeldRun, type Hold } from './heldRun.ts'
import { readScrubber } from './hiddenValues.ts'
import { unlessAborted } from './makeCall.ts'
import { newView, type View } from './modelView.ts'
import { createOpenResources } from './openResources.ts'
import { recallRoutes } from './routes.ts'
import { newRoutes, type Routes } from './routeState.ts'
import { stopByBound } from '../guardrails/judge.ts'
import type { Rules } from '../guardrails/rules.ts'
import { factsOf, setsOf, setupOf } from './setup.ts'
import { beginStretch } from './runTelemetry.ts'

/** How long reading a log again may block the process. */
const recallMs = 20

/** The run as nobody has told its model anything yet. */
export async function openRun(parts: DriveParts, run: ClaimedRun, hold: Hold): Promise<HeldRun> {
  const { context, models, breakers } = parts
  const build = await parts.loadBuild(context.db.sql, run)
  const rules = await parts.guardrails.live.of(run.team_id)
  const ofBuild = await toolsOfBuild(context, run, { build, rules }, hold.signal)
  const scrub = await readScrubber(context, callingRunOf(run), build)
  const routes = newRoutes(build, { team: await models.of(run.team_id), models, breakers })
  return teamTimeOf(context).piece(run.team_id, () => open(parts, run, { build, routes, ofBuild, scrub, rules }, hold))
}

/** The tools as they are when the run is taken: tools that come or change later are for the next process that takes it. */
async function toolsOfBuild(
  context: Context,
  run: ClaimedRun,
  { build, rules }: Pick<Opened, 'build' | 'rules'>,
  signal: AbortSignal,
): Promise<ToolSet[]> {
  const { connections, given } = build
  const use = connections.length > 0 ? connectionUseOf(context) : undefined
  const own = givenToolsOf({ context, run: callingRunOf(run), given })
  // a server that no call may reach is not asked for its tools either
  const mayAsk = (bound: Bound) => !rules || stopByBound(rules, bound) === undefined
  const tools = use?.tools({ sql: context.db.sql, context, run: callingRunOf(run), connectionIds: connections, mayAsk })
  // a server may take long to list its tools
  return [...(await own), ...((await (tools && unlessAborted(tools, signal))) ?? [])]
}

interface Opened {
  build: LoadedBuild
  routes: Routes
  ofBuild: ToolSet[]
  scrub: Scrub | undefined
  rules: Rules | undefined
}

function open(
  parts: DriveParts,
  run: ClaimedRun,
  { build, routes, ofBuild, scrub, rules }: Opened,
  { signal, writeSignal, mayContinue, workerId }: Hold,
): HeldRun {
  const { context, applyLane, models, telemetry } = parts
  const toolRegistry = parts.toolRegistry.with(ofBuild)
  const modelName = routes.names[0]!
  beginStretch(telemetry, build.agentName, modelName)
  const model = routes.team.find(modelName)
  const facts = factsOf(run, build)
  const resolver = parts.resolverFor(build.procedure, facts, model.isPure)
  const sets = setsOf({ build, resolver, ofBuild, isPure: model.isPure })
  const isCostLimited = run.limits.max_cost_usd !== null || Boolean(rules?.cost_usd_per_day)
  const plain = setupOf({ build, resolver, toolRegistry, sets, facts, modelName, isCostLimited })
  // what started the run may hold a secret too
  const setup = scrub && !model.isPure ? scrubbed(plain, scrub) : plain
  const { steps, input_tokens, output_tokens, cost_usd } = run
  const fixedBytes = model.isPure ? 0 : JSON.stringify(setup).length
  return {
    run,
    openedAtMs: performance.now(),
    build,
    context,
    toolRegistry,
    applyLane,
    telemetry,
    model,
    modelName,
    routes,
    resolver,
    workerId,
    sets,
    signal,
    writeSignal,
    mayContinue,
    atEnd: parts.atEnd(run),
    watched: isNew(run) ? watchLog(context, run) : undefined,
    conversation: model.open(setup),
    setup,
    window: models.windowOf(modelName),
    sight: models.sightOf(modelName),
    view: newView(),
    log: [],
    refusal: undefined,
    turn: 0,
    step: 0,
    open: [],
    wakeSeen: run.wake_seq,
    wakeSeq: run.wake_seq,
    messageSeen: 0,
    usage: { steps, input_tokens, output_tokens, cost_usd },
    misfits: 0,
    promptBytes: fixedBytes,
    fixedBytes,
    heldBytes: bytesHeld(run.message),
    scrub,
    callNames: new Map(),
    openResources: createOpenResources(context.log, run.id),
    line: { tail: Promise.resolve() },
    heldAtMs: -Infinity,
    underWay: parts.underWay,
    guardrails: parts.guardrails,
    rules,
  }
}

/** A run that nobody held before has nothing but the message it was started with. */
const isNew = ({ epoch, steps, message_seq }: ClaimedRun): boolean => epoch === 1 && steps === 0 && message_seq <= 1

/** Feeds the model everything that happened before this worker took the run. */
export async function recall(held: HeldRun): Promise<void> {
  const { run, context } = held
  if (isNew(run)) {
    const text = messageText(run.message)
    if (text !== undefined) feed(held, { kind: 'user', text, restarts: false }, { seq: run.message_seq })
    held.messageSeen = run.message_seq
    return
  }
  const { sql } = context.db
  const stored = held.model.isPure ? undefined : ((await readView(sql, run.id)) as View | undefined)
  // a view of an older version says less
  const view = stored && { ...newView(), ...stored }
  const folded = view?.folded ?? null
  if (view) held.view = view
  // blocks of a procedure read the results of older ones, whether the model is still shown them or not
  const isAllNeeded = !folded || held.resolver.tools.length > 0
  const after = isAllNeeded ? 0 : { turn: folded.through, said: folded.said }
  const messages = await readMessages(sql, run.id, after)
  const { entries, turn } = entriesOf(messages)
  const time = teamTimeOf(context)
  let resumedAt = threadTimeMs()
  for (const logged of entries) {
    if (isFolded(logged, folded)) note(held, logged.entry)
    else feed(held, logged.entry, logged)
    // a model that follows a procedure evaluates every step again, and the log may be long
    if (threadTimeMs() - resumedAt < recallMs) continue
    time.usedThread(run.team_id, threadTimeMs() - resumedAt)
    await (time.turn(run.team_id) ?? setImmediate())
    resumedAt = threadTimeMs()
  }
  if (view) showView(held, view).open()
  held.turn = turn
  held.messageSeen = messages.at(-1)?.seq ?? 0
  const { open: steps, lastSeq } = await readSteps(context.db.sql, run.id)
  held.open = steps
  held.step = lastSeq
  await recallRoutes(held, sql)
  if (!held.model.isPure) await recallWindow(held, sql)
}

/** What a refusal taught about the window of the model, where the run was lost before its log was made to fit. */
async function recallWindow(held: HeldRun, sql: Sql): Promise<void> {
  const [row] = await sql<{ learned: number | null }>`
    select min((result->>'learned_window')::int) as learned from run_steps
    where run_id = ${held.run.id} and kind = 'model' and state = 'failed' and tool = ${held.modelName} and result ? 'learned_window'`
  const { window } = held.view
  if (row?.learned) held.view = { ...held.view, window: Math.min(window ?? row.learned, row.learned) }
}
