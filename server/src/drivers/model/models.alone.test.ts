// Which model a name gives, and what is said when it gives none.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { ConfigError, readConfig } from '../../base/config.ts'
import type { Model } from './model.ts'
import { createModels } from './models.ts'
import { proves } from '../../../test/kit/proves.ts'

const runbook: Model = { isPure: true, open: () => assert.fail('nobody opens it here') }
const problemOf = (name: string, env: NodeJS.ProcessEnv = {}) => {
  const found = createModels(readConfig(env), { builtin: { runbook } }).find(name)
  return 'problem' in found ? found.problem : undefined
}

proves('model.notConfigured', 'a provider without its setting is a problem that names it', () => {
  for (const [name, setting] of [
    ['anthropic:claude-sonnet-4-5', 'ANTHROPIC_API_KEY'],
    ['openai:gpt-5', 'OPENAI_API_KEY'],
    ['google:gemini-2.5-pro', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    ['openai-compatible:qwen3:8b', 'OPENAI_COMPATIBLE_URL'],
  ] as const) {
    const problem = problemOf(name)
    assert.equal(problem?.code, 'model_not_configured')
    assert.match(problem.message, new RegExp(`${name} needs the setting ${setting}`))
    assert.equal(problemOf(name, { [setting]: 'http://127.0.0.1:1' }), undefined)
  }
})

test('an unknown name is refused with the list of known ones', () => {
  for (const name of [
    'gpt-5',
    'azure:gpt-5',
    'openai:',
    ':x',
    'builtin:nothing',
    'builtin:constructor',
    'constructor:x',
    '',
  ]) {
    const problem = problemOf(name)
    assert.equal(problem?.code, 'model_unknown', name)
    assert.match(problem.message, /anthropic:….*builtin:runbook/)
  }
})

proves('model.oneName', 'a name that would change the address of Google is refused', () => {
  const env = { GOOGLE_GENERATIVE_AI_API_KEY: 'key' }
  for (const id of [
    './models/gemini-2.5-pro',
    'a/../models/gemini-2.5-pro',
    '..%2Fmodels%2Fgemini-2.5-pro',
    'gemini-2.5-pro:streamGenerateContent?alt=sse&x=',
    'gemini-2.5-pro#',
    'models//gemini-2.5-pro',
    'models\\gemini-2.5-pro',
  ]) {
    assert.equal(problemOf(`google:${id}`, env)?.code, 'model_unknown', id)
  }
  for (const id of ['gemini-2.5-pro', 'models/gemini-2.5-pro', 'tunedModels/ours-1']) {
    assert.equal(problemOf(`google:${id}`, env), undefined, id)
  }
})

proves('model.default', 'the built-in model is the default and needs no setting', () => {
  const models = createModels(readConfig({}), { builtin: { runbook } })
  assert.equal(models.defaultModel, 'builtin:runbook')
  assert.deepEqual(models.find(models.defaultModel), { model: runbook })
  assert.equal(createModels(readConfig({ RUNYARD_MODEL: 'openai:gpt-5' })).defaultModel, 'openai:gpt-5')
})

proves('config.model', 'bad model settings are named at the start, without repeating a key', () => {
  const env = {
    RUNYARD_MODEL: 'gpt-5',
    ANTHROPIC_API_KEY: 'sk hunter2',
    OPENAI_BASE_URL: 'https://user:hunter2@gateway.example/v1',
    OPENAI_COMPATIBLE_URL: 'localhost:11434',
  }
  assert.throws(
    () => readConfig(env),
    (error) => {
      assert.ok(error instanceof ConfigError)
      assert.deepEqual(error.problems.map((problem) => problem.split(' ')[0]!).toSorted(), Object.keys(env).toSorted())
      assert.doesNotMatch(error.message, /hunter2/)
      return true
    },
  )
  assert.equal(readConfig({ OPENAI_API_KEY: ' sk-1\n' }).openaiKey, 'sk-1')
})

proves('model.lazy', 'a provider’s package is loaded when it is first asked, not before', () => {
  const script = `
    import { registerHooks } from 'node:module'
    registerHooks({
      resolve(name, context, next) {
        if (name.startsWith('@ai-sdk/') || name === 'ai') console.log(name)
        return next(name, context)
      },
    })
    const { createModels } = await import(${JSON.stringify(new URL('models.ts', import.meta.url).href)})
    const settings = { openaiCompatibleUrl: 'http://127.0.0.1:1', model: 'builtin:runbook' }
    const { model } = createModels(settings).find('openai-compatible:local')
    const talk = model.open({ procedure: '', tools: [], facts: { run: {} }, output_schema: null, output_tokens_max: null })
    console.log('opened')
    await talk.next({ signal: new AbortController().signal, onText() {} }).catch((error) => console.log(error.message))
  `
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  assert.equal(child.status, 0, child.stderr)
  const [opened, first] = child.stdout.split('\n')
  assert.deepEqual([opened, first], ['opened', '@ai-sdk/openai-compatible'])
  assert.doesNotMatch(child.stdout, /@ai-sdk\/(?:openai|anthropic|google)\n|^ai$/m)
  assert.match(child.stdout, /could not be reached/)
})
