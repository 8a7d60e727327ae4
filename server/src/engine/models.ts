// The models of this server as the engine asks for them, with what they cost.
import type { Config } from '../base/config.ts'
import type { TokenUsage } from '../drivers/model/model.ts'
import { createModels, type Models } from '../drivers/model/models.ts'
import { createPrices, type Price } from '../drivers/model/prices.ts'
import { runbook } from '../drivers/model/runbook/runbook.ts'

export interface EngineModels extends Models {
  priceOf(model: string): Price | undefined
  costOf(model: string, usage: TokenUsage): string
  /** The most that the next call can cost: no tokenizer makes more tokens of a text than half its bytes, but for rare scripts. */
  worstCost(model: string, promptBytes: number): string
}

const outputTokensMax = 8192

export function createEngineModels(config: Config): EngineModels {
  const prices = createPrices(config.modelPrices)
  return {
    ...createModels(config, { builtin: { runbook } }),
    priceOf: prices.priceOf,
    costOf: prices.costOf,
    worstCost: (model, promptBytes) =>
      prices.worstCostOf(model, { input_tokens: Math.ceil(promptBytes / 2), output_tokens: outputTokensMax }),
  }
}
