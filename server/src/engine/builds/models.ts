// The models of this server as the engine asks for them, with what they cost.
import type { Config } from '../../base/config.ts'
import type { Model, TokenUsage } from '../../drivers/model/model.ts'
import { createModels, type ModelProblem, type Models } from '../../drivers/model/models.ts'
import { createPrices, type Price } from '../../drivers/model/prices.ts'
import { runbook } from '../../drivers/model/runbook/runbook.ts'

export interface EngineModels extends Omit<Models, 'find'> {
  /** The model of this name. A model that cannot be used answers its first turn with the reason. */
  find(name: string): Model
  priceOf(model: string): Price | undefined
  costOf(model: string, usage: TokenUsage): string
  /** The most that the next call can cost: no tokenizer makes more tokens of a text than half its bytes, but for rare scripts. */
  worstCost(model: string, promptBytes: number): string
}

/** How many tokens a model may write in one turn where its cost is limited: the worst case is reserved before the call. */
export const outputTokensMax = 8192

export function createEngineModels(config: Config): EngineModels {
  const prices = createPrices(config.modelPrices)
  const models = createModels(config, { builtin: { runbook } })
  return {
    ...models,
    find(name) {
      const found = models.find(name)
      return 'model' in found ? found.model : refusing(found.problem)
    },
    priceOf: prices.priceOf,
    costOf: prices.costOf,
    worstCost: (model, promptBytes) =>
      prices.worstCostOf(model, { input_tokens: Math.ceil(promptBytes / 2), output_tokens: outputTokensMax }),
  }
}

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
