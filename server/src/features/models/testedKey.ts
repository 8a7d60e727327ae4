// Asks the provider whether it takes a key, before the key is saved.
import type { OwnKey, ProviderName } from '../../drivers/model/models.ts'
import { engineOf } from '../../engine/engine.ts'
import type { Context } from '../../kit/context.ts'

interface Wanted {
  provider: ProviderName
  key: string
  base_url: string | null
}

type Fail = (code: 'invalid_request' | 'conflict', message: string) => never

/** Refuses a key that the provider does not take; one that nobody can ask about now is not saved either. */
export async function requireGoodKey(context: Context, wanted: Wanted, fail: Fail): Promise<void> {
  const { provider, key, base_url } = wanted
  if (base_url !== null) {
    if (provider !== 'openai-compatible')
      fail('invalid_request', 'base_url is for the provider openai-compatible alone.')
    await context.guard.checkOnSave(base_url)
  }
  const trial = await tryOwnKey(context, provider, { key, url: base_url })
  if (trial.outcome === 'refused') fail('invalid_request', `The key was not saved. ${trial.message}`)
  if (trial.outcome === 'unknown')
    fail('conflict', `The key could not be tested, so it was not saved. ${trial.message}`)
}

export const tryOwnKey = (context: Context, provider: ProviderName, own: OwnKey) =>
  engineOf(context).models.tryKey(provider, own, new AbortController().signal)
