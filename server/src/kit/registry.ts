// Everything that the features of a process declare, checked once and stored with its context.
import type { Config } from '../base/config.ts'
import type { Context } from './context.ts'
import type { EndCheck } from './endCheck.ts'
import type { EvidencePart } from './evidence.ts'
import type {
  AgentPauses,
  ConnectionUse,
  DraftReplays,
  Fallback,
  Feature,
  HiddenAgents,
  Hooks,
  MemberWrites,
  PromotionGate,
  ReplayGate,
  ToolSet,
} from './feature.ts'
import type { GivenTo, LaidFile, LoginUse, NamedInBuilds, SecretUse } from './given.ts'
import type { Job } from './job.ts'
import type { Offer, RunStarts } from './offers.ts'
import type { Operation } from './operation.ts'
import type { Resource } from './resources.ts'
import { givenPart } from './runningPart.ts'

/** Two declarations of one name are a mistake, which the start of the process reports. */
export interface Registry {
  operations: Operation[]
  jobs: Job[]
  resources: Map<string, Resource>
  toolSets: ToolSet[]
  features: Feature[]
  /** The operations as readers see them: under the name of their feature, or of the one that it is listed under. */
  groups: Group[]
}

export interface Group {
  name: string
  about: string
  operations: Operation[]
}

const ofProcess = givenPart<Registry>('registry')

export const registryOf = ofProcess.of
/** Called once, where the context is made. */
export const giveRegistry = ofProcess.give

/** Without settings: what every server has. */
export function collect(features: Feature[], config?: Config): Registry {
  const operations = features.flatMap((one) => one.operations)
  const jobs = features.flatMap((one) => one.jobs)
  const resources = features.flatMap((one) => one.resources)
  const toolSets = features.flatMap((one) => [...one.toolSets, ...(config ? (one.toolSetsBy?.(config) ?? []) : [])])
  requireUnique(
    'operation',
    operations.map((one) => one.id),
  )
  requireUnique(
    'job',
    jobs.map((one) => one.name),
  )
  requireUnique(
    'resource',
    resources.map((one) => one.name),
  )
  requireUnique(
    'tool',
    toolSets.flatMap((set) => set.tools.map((tool) => tool.name)),
  )
  return {
    operations,
    jobs,
    resources: new Map(resources.map((one) => [one.name, one])),
    toolSets,
    features,
    groups: groupsOf(features),
  }
}

function groupsOf(features: Feature[]): Group[] {
  return features
    .filter(({ listedUnder }) => listedUnder === undefined)
    .map(({ name, about, operations }) => ({
      name,
      about,
      operations: [
        ...operations,
        ...features.filter(({ listedUnder }) => listedUnder === name).flatMap((listed) => listed.operations),
      ],
    }))
    .filter(({ operations }) => operations.length > 0)
}

/** Runs a hook of every feature that has it, one after the other: they share one transaction. */
export async function runHooks<Name extends keyof Hooks>(name: Name, happened: Happened<Name>): Promise<void> {
  for (const { hooks } of registryOf(happened.context).features)
    await (hooks[name] as ((of: Happened<Name>) => Promise<void>) | undefined)?.(happened)
}

/** Undefined: this server has no feature of connections. */
export const connectionUseOf = (context: Context): ConnectionUse | undefined =>
  registryOf(context).features.find(({ connectionUse }) => connectionUse)?.connectionUse

const each = <Part>(context: Context, pick: (feature: Feature) => Part | undefined): Part[] =>
  registryOf(context).features.flatMap((feature) => pick(feature) ?? [])

/** Every value that this run may use and nobody may see. */
export async function hiddenValuesOf(asked: GivenTo): Promise<string[]> {
  const parts = each(asked.context, ({ hiddenValues }) => hiddenValues)
  return (await Promise.all(parts.map((read) => read(asked)))).flat()
}

export async function laidFilesOf(asked: GivenTo): Promise<LaidFile[]> {
  const parts = each(asked.context, ({ laidFiles }) => laidFiles)
  return (await Promise.all(parts.map((read) => read(asked)))).flat()
}

export async function givenToolsOf(asked: GivenTo): Promise<ToolSet[]> {
  const parts = each(asked.context, ({ givenTools }) => givenTools)
  return (await Promise.all(parts.map((read) => read(asked)))).flat()
}

export const namedInBuilds = (context: Context): NamedInBuilds[] =>
  each(context, (feature) => feature.namedInBuilds).flat()

export const offersOf = (context: Context): Offer[] => each(context, ({ offers }) => offers).flat()

export const runStartsOf = (context: Context): RunStarts[] => each(context, ({ runStarts }) => runStarts)

/** Undefined: this server keeps no secrets. */
export const secretUseOf = (context: Context): SecretUse | undefined => each(context, ({ secretUse }) => secretUse)[0]

/** Undefined: this server keeps no logins. */
export const loginUseOf = (context: Context): LoginUse | undefined => each(context, ({ loginUse }) => loginUse)[0]

/** Undefined: on this server every build may become live. */
export const promotionGateOf = (context: Context): PromotionGate | undefined =>
  registryOf(context).features.find(({ promotionGate }) => promotionGate)?.promotionGate

/** Undefined: this server replays no runs. */
export const replayGateOf = (context: Context): ReplayGate | undefined =>
  each(context, ({ replayGate }) => replayGate)[0]

/** Undefined: this server replays no runs. */
export const draftReplaysOf = (context: Context): DraftReplays | undefined =>
  each(context, ({ draftReplays }) => draftReplays)[0]

/** Undefined: on this server no run is checked when it ends. */
export const endCheckOf = (context: Context): EndCheck | undefined => each(context, ({ endCheck }) => endCheck)[0]

export const evidenceOf = (context: Context): EvidencePart[] => each(context, ({ evidence }) => evidence)

/** Undefined: this server shows nothing at paths that no route has. */
export const fallbackOf = (context: Context): Fallback | undefined =>
  registryOf(context).features.find(({ fallback }) => fallback)?.fallback

/** Throws if this server has no feature of agents: a feature that needs hidden agents cannot work without it. */
export function hiddenAgentsOf(context: Context): HiddenAgents {
  const found = registryOf(context).features.find(({ hiddenAgents }) => hiddenAgents)?.hiddenAgents
  if (!found) throw new Error('no feature has hidden agents')
  return found
}

export function memberWritesOf(context: Context): MemberWrites {
  const found = registryOf(context).features.find(({ memberWrites }) => memberWrites)?.memberWrites
  if (!found) throw new Error('no feature makes members')
  return found
}

export function agentPausesOf(context: Context): AgentPauses {
  const found = registryOf(context).features.find(({ agentPauses }) => agentPauses)?.agentPauses
  if (!found) throw new Error('no feature pauses agents')
  return found
}

/** Called before the database and the other parts that features need for closing are closed themselves. */
export async function closeFeatures(context: Context): Promise<void> {
  await Promise.all(registryOf(context).features.flatMap(({ close }) => close?.(context) ?? []))
}

type Happened<Name extends keyof Hooks> = Parameters<NonNullable<Hooks[Name]>>[0]

function requireUnique(what: string, names: string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice) throw new Error(`two declarations of the ${what} ${twice}`)
}
