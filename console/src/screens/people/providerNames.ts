// What the providers of models are called.
import type { ModelKey } from '@runyard/sdk'

export type ModelProvider = ModelKey['provider']

export const providerNames: Record<ModelProvider, string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
  'openai-compatible': 'OpenAI-compatible server',
}
