// Settings are written into a config without touching what the form does not know.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BuildConfig } from '@runyard/sdk'
import { isSameConfig } from '../draft/buildConfig.ts'
import { approvalsOf, limitOf, modelOf, restOf, withApprovals, withLimit, withModel, withRest } from './settings.ts'

const config: BuildConfig = {
  version: 'v2',
  data: {
    input: 'Go.',
    models: { agent: { model: 'builtin:runbook', temperature: 0 }, judge: { model: 'x' } },
    limits: { max_steps: 5, other: true },
    approvals: { http_request: { when: 'arguments.amount > 100' }, bash: 'always' },
    mine: [1],
  },
}

test('a model is set and taken away, and what stands beside it stays', () => {
  assert.equal(modelOf(config), 'builtin:runbook')
  const none = withModel(config, ' ')
  assert.deepEqual(none.data['models'], { agent: { temperature: 0 }, judge: { model: 'x' } })
  assert.equal(modelOf(withModel(none, 'claude-sonnet-5 ')), 'claude-sonnet-5')
  const two = withModel(none, 'claude-sonnet-5, gpt-5')
  assert.deepEqual(two.data['models'], {
    agent: [{ temperature: 0, model: 'claude-sonnet-5' }, { model: 'gpt-5' }],
    judge: { model: 'x' },
  })
  assert.equal(modelOf(two), 'claude-sonnet-5,gpt-5')
  assert.deepEqual(withModel(two, 'gpt-5').data['models'], {
    agent: { temperature: 0, model: 'gpt-5' },
    judge: { model: 'x' },
  })
  const plain: BuildConfig = { version: 'v2', data: { input: 'Go.' } }
  assert.ok(isSameConfig(withModel(withModel(plain, 'x'), ''), plain))
})

test('limits are numbers, and any other text is kept for the server to refuse', () => {
  assert.deepEqual(withLimit(config, 'max_steps', '').data['limits'], { other: true })
  assert.deepEqual(withLimit(config, 'max_tokens', '9').data['limits'], { max_steps: 5, other: true, max_tokens: 9 })
  assert.equal(limitOf(withLimit(config, 'max_cost_usd', 'much'), 'max_cost_usd'), 'much')
})

test('approvals are read and written as they were', () => {
  assert.deepEqual(approvalsOf(config), [
    { tool: 'http_request', rule: 'when', when: 'arguments.amount > 100' },
    { tool: 'bash', rule: 'always', when: '' },
  ])
  assert.ok(isSameConfig(withApprovals(config, approvalsOf(config)), config))
  assert.equal(withApprovals(config, []).data['approvals'], undefined)
})

test('the rest is JSON without the procedure, and only JSON objects are taken', () => {
  assert.ok(!restOf(config).includes('Go.'))
  const same = withRest(config, restOf(config))
  assert.ok(same && isSameConfig(same, config))
  for (const text of ['{', '[]', 'null', '"x"']) assert.equal(withRest(config, text), undefined)
})
