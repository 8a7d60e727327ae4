// Finds the model that a build names: `provider:model` of a configured provider, or one that is built in.
import type { Config } from '../../base/config.ts'
import { createAiSdkModel } from './aiSdk/aiSdk.ts'
import { createModelFetch } from './aiSdk/modelFetch.ts'
import {
  findProvider,
  providerNames,
  type OwnKey,
  type ProviderName,
  type ProviderSettings,
} from './aiSdk/providers.ts'
import { tryKey, type KeyTrial } from './aiSdk/tryKey.ts'
import type { ModelFetch } from './aiSdk/modelFetch.ts'
import { isPathOfModel, plainName } from './googleNames.ts'
import type { Model } from './model.ts'

export { providerNames, type OwnKey, type ProviderName } from './aiSdk/providers.ts'
export type { KeyTrial } from './aiSdk/tryKey.ts'

/** The keys that a team brought itself. */
export type OwnKeys = ReadonlyMap<string, OwnKey>

/** Why a name gives no model; `code` is a value of `run.error.code`. */
export interface ModelProblem {
  code: 'model_not_configured' | 'model_unknown' | 'model_not_allowed'
  message: string
}

type FoundModel = { model: Model } | { problem: ModelProblem }

export interface Models {
  /** What an agent uses that names no model. */
  defaultModel: string
  /** A team's own key goes before that of the server. */
  find: (name: string, own?: OwnKeys) => FoundModel
  /** The providers for which the server itself has a key or a URL. */
  configured: () => ProviderName[]
  /** Asks the provider whether it takes this key. */
  tryKey: (provider: ProviderName, own: OwnKey, signal: AbortSignal) => Promise<KeyTrial>
  /** Ends all requests and connections. */
  close: () => Promise<void>
}

type ModelSettings = ProviderSettings & Pick<Config, 'model'>

interface Choices {
  /** The models of `builtin:…`, by the word after it. */
  builtin?: Record<string, Model>
  /** How long a stream may be silent. */
  idleMs?: number
  /** For URLs that a team gave; absent: there are none. */
  guarded?: ModelFetch
}

export function createModels(
  settings: ModelSettings,
  { builtin = {}, idleMs = 120_000, guarded = noOwnUrls }: Choices = {},
): Models {
  const { fetch: plain, close } = createModelFetch(idleMs)
  const fetches = { plain, guarded }
  const configured = providerNames.filter((name) => 'provider' in findProvider(name, settings, fetches, undefined))

  function find(name: string, own?: OwnKeys): FoundModel {
    const [, provider = '', model = ''] = /^([^:]+):(\S+)$/.exec(plainName(name)) ?? []
    const ours = provider === 'builtin' && Object.hasOwn(builtin, model) ? builtin[model] : undefined
    if (ours) return { model: ours }
    if (!isProviderName(provider)) return { problem: { code: 'model_unknown', message: unknown(name, builtin) } }
    if (provider === 'google' && !isPathOfModel(model)) {
      const message = `${name} cannot be the name of a Google model. It has letters, digits, dots, dashes and slashes.`
      return { problem: { code: 'model_unknown', message } }
    }
    const found = findProvider(provider, settings, fetches, own?.get(provider))
    if ('provider' in found) return { model: createAiSdkModel(found.provider, model) }
    const message =
      `The model ${name} needs the setting ${found.missing} on the server, or a key of the team for ${provider}. ` +
      'Set one of them, or choose another model.'
    return { problem: { code: 'model_not_configured', message } }
  }

  return {
    defaultModel: settings.model,
    find,
    configured: () => configured,
    tryKey(name, own, signal) {
      const found = findProvider(name, settings, fetches, own)
      if ('provider' in found) return tryKey(found.provider, signal)
      const message = `Say where the server is: the key needs a base_url, since this server has no ${found.missing}.`
      return Promise.resolve({ outcome: 'refused', message })
    },
    close,
  }
}

const noOwnUrls: ModelFetch = () => Promise.reject(new Error('no URL of a team can be asked here'))

const isProviderName = (name: string): name is ProviderName => (providerNames as readonly string[]).includes(name)

function unknown(name: string, builtin: Record<string, Model>): string {
  const forms = [
    ...providerNames.map((provider) => `${provider}:…`),
    ...Object.keys(builtin).map((word) => `builtin:${word}`),
  ]
  return `There is no model "${name}". Write it as one of ${forms.join(', ')}.`
}
