// Finds the model that a build names: `provider:model` of a configured provider, or one that is built in.
import type { Config } from '../../base/config.ts'
import { createAiSdkModel } from './aiSdk/aiSdk.ts'
import { createModelFetch } from './aiSdk/modelFetch.ts'
import { findProvider, providerNames, type ProviderName, type ProviderSettings } from './aiSdk/providers.ts'
import type { Model } from './model.ts'

/** Why a name gives no model; `code` is a value of `run.error.code`. */
export interface ModelProblem {
  code: 'model_not_configured' | 'model_unknown'
  message: string
}

type FoundModel = { model: Model } | { problem: ModelProblem }

export interface Models {
  /** What an agent uses that names no model. */
  defaultModel: string
  find: (name: string) => FoundModel
  /** Ends all requests and connections. */
  close: () => Promise<void>
}

type ModelSettings = ProviderSettings & Pick<Config, 'model'>

interface Choices {
  /** The models of `builtin:…`, by the word after it. */
  builtin?: Record<string, Model>
  /** How long a stream may be silent. */
  idleMs?: number
}

export function createModels(settings: ModelSettings, { builtin = {}, idleMs = 120_000 }: Choices = {}): Models {
  const { fetch, close } = createModelFetch(idleMs)

  function find(name: string): FoundModel {
    const [, provider = '', model = ''] = /^([^:]+):(\S+)$/.exec(name) ?? []
    const own = provider === 'builtin' && Object.hasOwn(builtin, model) ? builtin[model] : undefined
    if (own) return { model: own }
    if (!isProviderName(provider)) return { problem: { code: 'model_unknown', message: unknown(name, builtin) } }
    const found = findProvider(provider, settings, fetch)
    if ('provider' in found) return { model: createAiSdkModel(found.provider, model) }
    const message = `The model ${name} needs the setting ${found.missing} on the server. Set it and restart, or choose another model.`
    return { problem: { code: 'model_not_configured', message } }
  }

  return { defaultModel: settings.model, find, close }
}

const isProviderName = (name: string): name is ProviderName => (providerNames as readonly string[]).includes(name)

function unknown(name: string, builtin: Record<string, Model>): string {
  const forms = [
    ...providerNames.map((provider) => `${provider}:…`),
    ...Object.keys(builtin).map((word) => `builtin:${word}`),
  ]
  return `There is no model "${name}". Write it as one of ${forms.join(', ')}.`
}
