// The models of this server as the engine asks for them, for each team with its own keys, with what they cost.
import { hash } from 'node:crypto'
import type { Sql } from '../../base/db.ts'
import type { Model, TokenUsage } from '../../drivers/model/model.ts'
import { createModels, type ModelProblem, type Models, type OwnKey } from '../../drivers/model/models.ts'
import { createPrices, type Price } from '../../drivers/model/prices.ts'
import { createSight, type SightOf } from '../../drivers/model/sight.ts'
import { createWindows } from '../../drivers/model/windows.ts'
import { runbook } from '../../drivers/model/runbook/runbook.ts'
import type { Context } from '../../kit/context.ts'
import { createTeamChoices, isAllowedModel } from './teamChoices.ts'

/** The models of one team. */
export interface TeamModels {
  /** What an agent uses that names no model: the team's default, or the server's. */
  defaultModel: string
  /** The model of this name. A model that cannot be used answers its first turn with the reason. */
  find(name: string): Model
  /** Why this model cannot be used; undefined: it can. */
  problemOf(name: string): ModelProblem | undefined
  isAllowed(name: string): boolean
  /** Its rules for that; null: every model. */
  allowed: readonly string[] | null
  /** Changes when the team's own key for it does; empty: it is asked with the server's. */
  accessOf(name: string): string
}

export interface EngineModels extends Omit<Models, 'find'> {
  /** What a change of the team's keys or rules makes of it is known within a second. */
  of(teamId: string, inTransaction?: Sql): Promise<TeamModels>
  priceOf(model: string): Price | undefined
  costOf(model: string, usage: TokenUsage): string
  /** How many tokens a request to it may hold. */
  windowOf(model: string): number
  /** Which files it takes besides text. */
  sightOf: SightOf
  /** The most that the next call can cost: no tokenizer makes more tokens of a text than half its bytes, but for rare scripts. */
  worstCost(model: string, promptBytes: number): string
}

/** How many tokens a model may write in one turn where its cost is limited: the worst case is reserved before the call. */
export const outputTokensMax = 8192

export function createEngineModels({ config, db, keyring, outbound }: Context): EngineModels {
  const prices = createPrices(config.modelPrices)
  const { find: findModel, ...models } = createModels(config, { builtin: { runbook }, guarded: outbound.fetch })
  const choicesOf = createTeamChoices(db.sql, keyring)

  async function of(teamId: string, inTransaction?: Sql): Promise<TeamModels> {
    const { keys, allowed, defaultModel } = await choicesOf(teamId, inTransaction)
    const look = (name: string) => {
      if (isAllowedModel(allowed, name)) return findModel(name, keys)
      const message = `The team does not allow the model ${name}. Choose one that it allows, or change what it allows.`
      return { problem: { code: 'model_not_allowed' as const, message } }
    }
    return {
      defaultModel: defaultModel ?? models.defaultModel,
      find(name) {
        const found = look(name)
        return 'model' in found ? found.model : refusing(found.problem)
      },
      problemOf(name) {
        const found = look(name)
        return 'model' in found ? undefined : found.problem
      },
      isAllowed: (name) => isAllowedModel(allowed, name),
      allowed,
      accessOf: (name) => accessOf(keys.get(name.slice(0, name.indexOf(':')))),
    }
  }

  return {
    ...models,
    of,
    priceOf: prices.priceOf,
    costOf: prices.costOf,
    windowOf: createWindows(config.modelWindows),
    sightOf: createSight(config.modelSight),
    worstCost: (model, promptBytes) =>
      prices.worstCostOf(model, { input_tokens: Math.ceil(promptBytes / 2), output_tokens: outputTokensMax }),
  }
}

const accessOf = (own: OwnKey | undefined): string => (own ? hash('sha256', `${own.key} ${own.url ?? ''}`) : '')

const refusing = ({ code, message }: ModelProblem): Model => ({
  isPure: true,
  open: () => ({
    add: () => undefined,
    next: async () => ({
      text: null,
      thinking: null,
      calls: [],
      ending: { kind: 'failed', code, message },
      usage: { input_tokens: 0, output_tokens: 0 },
      opaque: null,
    }),
  }),
})
