// Whether a provider takes a key: it is asked which models there are, which costs nothing.
import { asModelError } from './failure.ts'
import { ModelTrouble } from '../model.ts'
import type { Provider } from './provider.ts'

/** `refused`: the key is no good. `unknown`: the provider could not be asked, or its answer says nothing about the key. */
export type KeyTrial = { outcome: 'good' } | { outcome: 'refused' | 'unknown'; message: string }

const trialMs = 15_000
const bodyMax = 16 * 1024

export async function tryKey(provider: Provider, signal: AbortSignal): Promise<KeyTrial> {
  try {
    const response = await provider.listModels(AbortSignal.any([signal, AbortSignal.timeout(trialMs)]))
    const body = await beginningOf(response)
    if (response.ok) return { outcome: 'good' }
    const { status, headers } = response
    throw Object.assign(new Error(response.statusText), {
      statusCode: status,
      responseHeaders: Object.fromEntries(headers),
      responseBody: body,
    })
  } catch (error) {
    signal.throwIfAborted()
    const failure = asModelError(error, provider)
    return { outcome: failure instanceof ModelTrouble ? 'unknown' : 'refused', message: failure.message }
  }
}

/** The list itself is not read: it may be long, and says nothing that is wanted. */
async function beginningOf(response: Response): Promise<string> {
  if (response.ok || !response.body) {
    await response.body?.cancel()
    return ''
  }
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true })
    if (text.length >= bodyMax) break
  }
  return text.slice(0, bodyMax)
}
