// The four providers, made from the settings or from a team's own key: a provider is usable if its key or its URL is there.
import type { Config } from '../../../base/config.ts'
import type { ModelFetch } from './modelFetch.ts'
import type { Provider } from './provider.ts'

export type ProviderSettings = Pick<
  Config,
  | 'anthropicKey'
  | 'anthropicUrl'
  | 'openaiKey'
  | 'openaiUrl'
  | 'googleKey'
  | 'googleUrl'
  | 'openaiCompatibleUrl'
  | 'openaiCompatibleKey'
>

export const providerNames = ['anthropic', 'openai', 'google', 'openai-compatible'] as const
export type ProviderName = (typeof providerNames)[number]

/** A key that a team brought itself. `url`: its own server, which only an OpenAI-compatible one has. */
export interface OwnKey {
  key: string
  url: string | null
}

/** How requests leave: to URLs of the operator, and through the guard to those that a team gave. */
interface Fetches {
  plain: ModelFetch
  guarded: ModelFetch
}

/** The provider, or the name of the setting that it lacks. */
type FoundProvider = { provider: Provider } | { missing: string }

export function findProvider(
  name: ProviderName,
  settings: ProviderSettings,
  fetches: Fetches,
  own: OwnKey | undefined,
): FoundProvider {
  const fetch = own?.url ? fetches.guarded : fetches.plain
  const { setting, needed, make } = kinds(own ? { ...settings, ...settingsOf(name, own) } : settings, fetch)[name]
  if (needed === undefined) return { missing: setting }
  const provider = make(needed)
  return { provider: own ? { ...provider, keySetting: 'the team’s own key of this provider' } : provider }
}

/** A team's key goes to the URL that the operator set for this provider, which may be the only one that the machine reaches. */
function settingsOf(name: ProviderName, { key, url }: OwnKey): Partial<ProviderSettings> {
  if (name === 'anthropic') return { anthropicKey: key }
  if (name === 'openai') return { openaiKey: key }
  if (name === 'google') return { googleKey: key }
  return { openaiCompatibleKey: key, ...(url !== null && { openaiCompatibleUrl: url }) }
}

interface Kind {
  /** Without it the provider cannot be used. */
  setting: string
  needed: string | undefined
  make: (needed: string) => Provider
}

const kinds = (settings: ProviderSettings, fetch: ModelFetch): Record<ProviderName, Kind> => ({
  anthropic: {
    setting: 'ANTHROPIC_API_KEY',
    needed: settings.anthropicKey,
    make: (key) => anthropic(key, settings.anthropicUrl, fetch),
  },
  openai: {
    setting: 'OPENAI_API_KEY',
    needed: settings.openaiKey,
    make: (key) => openai(key, settings.openaiUrl, fetch),
  },
  google: {
    setting: 'GOOGLE_GENERATIVE_AI_API_KEY',
    needed: settings.googleKey,
    make: (key) => google(key, settings.googleUrl, fetch),
  },
  'openai-compatible': {
    setting: 'OPENAI_COMPATIBLE_URL',
    needed: settings.openaiCompatibleUrl,
    make: (url) => openaiCompatible(url, settings.openaiCompatibleKey, fetch),
  },
})

/** A URL without a path gets the provider's usual path: both ways of writing it are common. */
function baseURL(given: string | undefined, usual: string): string {
  const { pathname } = new URL(usual)
  if (given === undefined) return usual
  return new URL(given).pathname === '/' ? given.replace(/\/$/, '') + pathname : given
}

function anthropic(key: string, url: string | undefined, fetch: ModelFetch): Provider {
  const base = baseURL(url, 'https://api.anthropic.com/v1')
  return {
    title: 'Anthropic',
    keySetting: 'ANTHROPIC_API_KEY',
    key,
    async load() {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic({ apiKey: key, baseURL: base, fetch })
    },
    listModels: (signal) =>
      fetch(`${base}/models`, { headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01' }, signal }),
    // Its other way to get a schema is a forced tool, which would exclude our tools.
    options: { anthropic: { structuredOutputMode: 'outputFormat' } },
    cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    filesInResults: true,
    holdsSchema: (model) => /claude-(?:opus-4-1|(?:opus|sonnet|haiku)-4-[5-9]|[a-z]+-[5-9])/.test(model),
  }
}

function openai(key: string, url: string | undefined, fetch: ModelFetch): Provider {
  const base = baseURL(url, 'https://api.openai.com/v1')
  return {
    title: 'OpenAI',
    keySetting: 'OPENAI_API_KEY',
    key,
    async load() {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI({ apiKey: key, baseURL: base, fetch })
    },
    listModels: (signal) => fetch(`${base}/models`, { headers: bearer(key), signal }),
    // Nothing is stored there: the run's log is the memory, and its reasoning comes to us encrypted.
    options: { openai: { store: false, strictJsonSchema: false } },
    strictTools: false,
    filesInResults: true,
    holdsSchema: () => true,
  }
}

function google(key: string, url: string | undefined, fetch: ModelFetch): Provider {
  const base = baseURL(url, 'https://generativelanguage.googleapis.com/v1beta')
  return {
    title: 'Google',
    keySetting: 'GOOGLE_GENERATIVE_AI_API_KEY',
    key,
    async load() {
      const { createGoogle } = await import('@ai-sdk/google')
      return createGoogle({ apiKey: key, baseURL: base, fetch })
    },
    listModels: (signal) => fetch(`${base}/models`, { headers: { 'x-goog-api-key': key }, signal }),
    filesInResults: true,
    // Before Gemini 3 a schema and functions exclude each other.
    holdsSchema: (model, hasTools) => !hasTools || /^gemini-(?:[3-9]|\d\d)/.test(model),
  }
}

function openaiCompatible(url: string, key: string | undefined, fetch: ModelFetch): Provider {
  const base = baseURL(url, 'http://server/v1')
  return {
    title: 'The OpenAI-compatible server',
    keySetting: 'OPENAI_COMPATIBLE_KEY',
    key,
    async load() {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({
        name: 'openaiCompatible',
        baseURL: base,
        ...(key === undefined ? {} : { apiKey: key }),
        fetch,
        includeUsage: true,
      })
    },
    listModels: (signal) => fetch(`${base.replace(/\/$/, '')}/models`, { headers: bearer(key), signal }),
    // A message of a tool is text alone in chat completions.
    filesInResults: false,
    // Some of these servers refuse a grammar beside tools; none says beforehand.
    holdsSchema: () => false,
  }
}

const bearer = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` }
