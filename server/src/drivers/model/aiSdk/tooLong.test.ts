// Requests that are longer than a model's window, in the words of each provider.
import assert from 'node:assert/strict'
import { proves } from '../../../../test/kit/proves.ts'
import { ContextExceeded, ModelRefused } from '../model.ts'
import { asModelError } from './failure.ts'
import type { Provider } from './provider.ts'

const provider: Provider = {
  title: 'The provider',
  keySetting: 'KEY',
  key: undefined,
  load: () => Promise.reject(new Error('nobody is asked')),
  listModels: () => assert.fail('nobody lists models'),
  filesInResults: true,
  holdsSchema: () => true,
}

const answered = (statusCode: number, error: object) =>
  asModelError({ statusCode, responseBody: JSON.stringify({ error }) }, provider)

proves('models.tooLong', 'are another error than requests that are refused for another reason', () => {
  const tooLong = [
    answered(400, { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' }),
    answered(400, { message: 'input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000' }),
    answered(413, { type: 'request_too_large', message: 'Request exceeds the maximum size' }),
    answered(400, { code: 'context_length_exceeded', message: 'Your input exceeds the context window of this model.' }),
    answered(400, {
      message: "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens.",
    }),
    answered(400, {
      status: 'INVALID_ARGUMENT',
      message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    }),
    answered(500, { type: 'exceed_context_size_error', message: 'the request exceeds the available context size' }),
    asModelError({ code: 'context_length_exceeded', message: 'Too much.' }, provider),
  ]
  for (const error of tooLong) assert.ok(error instanceof ContextExceeded, error.message)
  const others = [
    answered(400, { message: 'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens' }),
    answered(400, { message: 'tools.0.name is too long' }),
    answered(401, { message: 'invalid key' }),
  ]
  for (const error of others)
    assert.ok(error instanceof ModelRefused && !(error instanceof ContextExceeded), error.message)
})
