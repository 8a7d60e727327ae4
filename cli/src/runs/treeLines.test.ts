// The lines of a run's tree: what is folded where there is little room, and what fits the screen.
import assert from 'node:assert/strict'
import type { RunStreamEvent } from '../../../sdk/src/index.ts'
import { proves } from '../../../server/test/kit/proves.ts'
import { RunTree } from './runTree.ts'
import { treeLines } from './treeLines.ts'
import { usdText, usedTexts } from './usedText.ts'

const start = Date.parse('2026-11-16T12:00:00Z')
const drawing = { width: 60, now: start + 65_000, spinner: '*', paint: (text: string) => text }

const event = (name: string, data: object): RunStreamEvent =>
  ({ event: name, id: 'x', created_at: new Date(start).toISOString(), data }) as unknown as RunStreamEvent
const calls = (step: number, name: string, given: object = {}) =>
  event('run.message.created', {
    message: { role: 'assistant', tool_call: { id: `r:${step}`, name, arguments: given } },
  })
const done = (step: number, error: string | null = null) =>
  event('run.tool_call.completed', { tool_call_id: `r:${step}`, ok: error === null, error, duration_ms: 400 })
const says = (text: string) =>
  event('run.message.created', { message: { role: 'assistant', type: 'text', text_content: text, tool_call: null } })

function treeOf(...events: RunStreamEvent[]): RunTree {
  const tree = new RunTree('r', start)
  for (const one of events) tree.take(one)
  return tree
}

const shown = (tree: RunTree, room: number): string[] =>
  treeLines(tree, 0, room, drawing).map((line) => line.replace(/ {3,}/, ' '))

const steps = (from: number, until: number): RunStreamEvent[] =>
  Array.from({ length: until - from + 1 }, (_, index) => [
    calls(from + index, `t${from + index}`),
    done(from + index),
  ]).flat()

proves('cli.live', 'finished steps fold from the oldest on, also those of a sub-run', () => {
  const tree = treeOf(...steps(1, 9), calls(10, 'agents_run', { agent: 'Other', message: 'hello' }))
  const subRun = treeOf(...steps(1, 6), calls(7, 'slow'))
  const [call] = tree.withoutSubRun()
  assert.equal(call?.agent, 'Other')
  call.attach(subRun)
  assert.deepEqual(shown(tree, 8), [
    '… 9 steps before',
    '* agents_run  Other  hello 1m05s',
    '  ├ … 2 steps before',
    '  ├ ✓ t3 0.4s',
    '  ├ ✓ t4 0.4s',
    '  ├ ✓ t5 0.4s',
    '  ├ ✓ t6 0.4s',
    '  └ * slow 1m05s',
  ])
  for (const room of [3, 5, 10, 17, 40]) {
    const lines = treeLines(tree, 0, room, drawing)
    assert.ok(lines.length <= room, `${lines.length} lines in ${room}`)
    for (const line of lines) assert.ok(line.length < drawing.width)
  }
  assert.equal(shown(tree, 40).length, 17)
})

proves('cli.live', 'a turn of a model is a row, a turn of a runbook is not', () => {
  assert.deepEqual(shown(treeOf(calls(1, 'a'), done(1), says('out')), 9), ['✓ a 0.4s', '* works 1m05s'])
  assert.deepEqual(shown(treeOf(says('Look.'), calls(2, 'a'), done(2), calls(4, 'b'), done(4, 'No')), 9), [
    '✓ model  Look. 0.0s',
    '✓ a 0.4s',
    '✓ model 0.0s',
    '✗ b 0.4s',
    '  No',
    '* model 1m05s',
  ])
  const usage = { steps: 1, input_tokens: 5, output_tokens: 5, cost_usd: 0.1 }
  assert.deepEqual(shown(treeOf(says('Hi.'), event('run.completed', { usage })), 9), ['✓ model  Hi. 0.0s'])
})

proves('cli.live', 'why it waits is a sentence below it, and what it wrote cannot steer the terminal', () => {
  const tree = treeOf(
    calls(1, 'human_ask', { title: '\u001b[2JPay?' }),
    event('run.paused', { waiting_on: { kind: 'human' } }),
  )
  tree.why = 'It has waited for 2 h for a person to answer: “Pay?” (approval).'
  assert.deepEqual(shown(tree, 9), [
    '* human_ask  [2JPay? 1m05s',
    '  It has waited for 2 h for a person to answer: “Pay?”',
    '  (approval).',
  ])
})

proves('cli.live', 'money is shown against its limit, and little is not nothing', () => {
  const usage = { steps: 2, input_tokens: 1500, output_tokens: 0, cost_usd: 0.0045 }
  const limits = { max_steps: 1, max_duration_s: 1, max_cost_usd: '0.5', max_tokens: null }
  assert.deepEqual(usedTexts({ usage, limits }), ['2 steps', '1,500 tokens', '$0.0045 of $0.50'])
  assert.deepEqual(usedTexts({ usage: { ...usage, input_tokens: 0, steps: 1 } }), ['1 step'])
  assert.deepEqual([usdText(0), usdText(0.00003)], ['$0.0000', '<$0.0001'])
})
