// The config of a draft with what a model wants beside the procedure: names become what the config holds, and what is not there is found.
import { isDeepStrictEqual } from 'node:util'
import type { Sql } from '../../../base/db.ts'
import { isRecord } from '../../../base/isRecord.ts'
import { parsedOnce } from '../../../drivers/model/runbook/parsedRunbook.ts'
import { secretOf } from '../../../drivers/model/runbook/secretHoles.ts'
import { defaultPlugins, parseBuildConfig } from '../../../engine/builds/buildConfig.ts'
import { engineOf } from '../../../engine/engine.ts'
import type { Context } from '../../../kit/context.ts'
import type { Offered } from '../../../kit/offers.ts'
import { teamTimeOf } from '../../../kit/teamTime.ts'
import type { BuildConfig } from '../builds/build.ts'
import type { ProposedTrigger } from './builderRun.ts'
import { putStarts } from './draftStarts.ts'
import type { HeldBuilderRun } from './heldBuilderRun.ts'
import { findOffered, type Missing } from './teamOffers.ts'
import { offeredAs, useKinds, type Use, type UseKind, type WantedSetup } from './wantedSetup.ts'

interface Asked {
  context: Context
  sql: Sql
}

interface DraftSetup {
  data: Record<string, unknown>
  triggers: ProposedTrigger[]
  /** What a person must be asked about. */
  missing: Missing[]
  /** What the model must correct, each a sentence. */
  problems: string[]
}

type Named = Exclude<UseKind, 'plugin'>
const namedKinds = Object.keys(offeredAs) as Named[]

/** What the draft has now, in the words in which a model answers. */
export async function setupNow(held: HeldBuilderRun, asked: Asked): Promise<Omit<WantedSetup, 'starts'>> {
  const config = parseBuildConfig(held.checkpoint_config)
  const uses: Use[] = (config.plugins ?? defaultPlugins).map((name) => ({ kind: 'plugin', name }))
  for (const kind of namedKinds) {
    const words = wordsOf(config, kind)
    const { found } = await findOffered(held, offeredAs[kind], words, asked)
    uses.push(...words.map((word) => ({ kind, name: shownAs(word, found.get(word)) })))
  }
  return { uses, models: config.models, on_limit: config.onLimit }
}

/** The name of a record that the config names by its id. */
const shownAs = (word: string, record: Offered | undefined): string => (record?.id === word ? record.name : word)

function wordsOf(config: ReturnType<typeof parseBuildConfig>, kind: Named): string[] {
  if (kind === 'connection') return config.connections
  return kind === 'agent' ? config.subAgents : config.given[useKinds[kind]]
}

export async function draftSetup(
  held: HeldBuilderRun,
  { procedure, setup }: { procedure: string; setup: WantedSetup | null },
  asked: Asked,
): Promise<DraftSetup> {
  const draft: DraftSetup = { data: { ...held.checkpoint_config.data }, triggers: [], missing: [], problems: [] }
  await putUses(draft, held, { procedure, setup }, asked)
  if (setup) {
    putModels(draft, held, setup)
    await findModelProblems(draft, held, setup, asked)
    if (setup.on_limit !== parseBuildConfig(held.checkpoint_config).onLimit) {
      const limits = draft.data['limits']
      draft.data['limits'] = { ...(isRecord(limits) && limits), on_limit: setup.on_limit }
    }
    await putStarts(draft, held, setup.starts, asked)
  }
  return draft
}

interface Wanted {
  procedure: string
  setup: WantedSetup | null
}

/** A secret that the procedure names is given to its runs, also where the model forgot to say so. */
async function putUses(draft: DraftSetup, held: HeldBuilderRun, { procedure, setup }: Wanted, asked: Asked) {
  const config = parseBuildConfig(held.checkpoint_config)
  for (const kind of namedKinds) {
    const there = wordsOf(config, kind)
    const { found: known } = await findOffered(held, offeredAs[kind], there, asked)
    /** The word of the draft for the same record, so that what is there already stays as it is written. */
    const keptFor = (name: string): string | undefined =>
      there.find((word) => {
        const record = known.get(word)
        return word === name || record?.name === name || record?.id === name
      })
    const inText = kind === 'secret' ? secretsNamed(held, procedure, asked.context) : []
    const names = setup ? [...new Set([...namesIn(setup, kind), ...inText])] : inText
    const fresh = names.filter((name) => keptFor(name) === undefined)
    const { found, missing } = await findOffered(held, offeredAs[kind], fresh, asked)
    draft.missing.push(...missing)
    const words = names.map((name) => {
      const id = kind === 'connection' || kind === 'agent' ? found.get(name)?.id : undefined
      return keptFor(name) ?? id ?? name
    })
    // what the draft has already and the model leaves alone is none of its business
    if (!setup) words.unshift(...there)
    put(draft.data, useKinds[kind], there, [...new Set(words)])
  }
  if (setup) put(draft.data, 'plugins', config.plugins ?? [...defaultPlugins], namesIn(setup, 'plugin'))
}

const namesIn = ({ uses }: WantedSetup, kind: UseKind): string[] => [
  ...new Set(uses.filter((use) => use.kind === kind).map(({ name }) => name.trim())),
]

/** A list with the same entries stays as it is written. */
function put(data: Record<string, unknown>, key: string, there: string[], words: string[]): void {
  if (!isDeepStrictEqual([...there].sort(), [...words].sort())) data[key] = words
}

function secretsNamed({ team_id }: HeldBuilderRun, procedure: string, context: Context): string[] {
  if (!procedure.includes('secrets')) return []
  const { blocks } = teamTimeOf(context).piece(team_id, () => parsedOnce(procedure))
  const sets = blocks.flatMap(({ expressions }) =>
    expressions.flatMap(({ expression }) => secretOf(expression)?.set ?? []),
  )
  return [...new Set(sets)]
}

function putModels({ data }: DraftSetup, held: HeldBuilderRun, { models }: WantedSetup): void {
  if (isDeepStrictEqual(models, parseBuildConfig(held.checkpoint_config).models)) return
  const { agent: _, ...others } = isRecord(data['models']) ? data['models'] : {}
  const routes = models.map((model) => ({ model }))
  if (routes.length > 0) data['models'] = { ...others, agent: routes.length === 1 ? routes[0] : routes }
  else if (Object.keys(others).length > 0) data['models'] = others
  else delete data['models']
}

/** Names that the config's own check cannot judge: models that nobody has a key for. */
async function findModelProblems(draft: DraftSetup, held: HeldBuilderRun, { models }: WantedSetup, asked: Asked) {
  const of = await engineOf(asked.context).models.of(held.team_id)
  const there = parseBuildConfig(held.checkpoint_config).models
  for (const model of models.filter((one) => !there.includes(one))) {
    const problem = of.problemOf(model)
    if (problem) draft.problems.push(`setup.models: ${problem.message}`)
  }
}

/** The keys of `data` that the proposal changes. */
export const changedKeys = (before: BuildConfig, data: Record<string, unknown>): string[] =>
  [...new Set([...Object.keys(before.data), ...Object.keys(data)])].filter(
    (key) => !isDeepStrictEqual(before.data[key], data[key]),
  )
