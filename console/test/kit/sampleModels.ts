// A provider key of the team, which a fake on this machine takes, and rules for models.
import type { Runyard } from '../../../sdk/src/index.ts'

export async function makeSampleModels(sdk: Runyard, provider: { url: string }): Promise<void> {
  await sdk.modelKeys.create({ provider: 'openai-compatible', key: 'sample-key-0123456789', base_url: provider.url })
  await sdk.modelSettings.update({
    allowed_models: ['anthropic:claude-sonnet-5', 'openai-compatible:*'],
    default_model: 'openai-compatible:office-large',
  })
}
