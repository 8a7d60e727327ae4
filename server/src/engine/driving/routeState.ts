// What is known of the models that a held run may ask: which there are, which were left and why, and with which key they are asked.
import type { TroubleKind } from '../../drivers/model/model.ts'
import type { LoadedBuild } from '../builds/loadBuild.ts'
import type { EngineModels, TeamModels } from '../builds/models.ts'
import type { Breakers } from './breakers.ts'

/** Why a run left a model. The last two count for the rest of the run, since asking again would end the same way; the others for the turn. */
export type LeftFor = TroubleKind | 'policy' | 'key'

export const isForGood = (reason: LeftFor): boolean => reason === 'policy' || reason === 'key'

export interface LeftModel {
  name: string
  turn: number
  reason: LeftFor
  message: string
  /** It was the last one of the list that could be asked: from here on all are asked once more. */
  ends_round: boolean
}

export interface Routes {
  /** The models that can be used, in their order; the first one of all if none can. */
  names: readonly string[]
  /** In the order in which they were left. */
  left: LeftModel[]
  team: TeamModels
  models: EngineModels
  breakers: Breakers
  /** With which key the conversation was opened. */
  access: string
}

type Parts = Pick<Routes, 'team' | 'models' | 'breakers'>

export function newRoutes(build: LoadedBuild, parts: Parts): Routes {
  const names = usableModels(build, parts.team)
  return { names, left: [], ...parts, access: parts.team.accessOf(names[0]!) }
}

export function usableModels({ models }: LoadedBuild, team: TeamModels): string[] {
  const all = models.length > 0 ? models : [team.defaultModel]
  const good = all.filter((name) => team.problemOf(name) === undefined)
  return good.length > 0 ? good : all.slice(0, 1)
}
