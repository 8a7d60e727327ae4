// Blocks as single steps: which tools they need, and how a model that decides for itself runs them.
import assert from 'node:assert/strict'
import type { RunFacts } from '../model.ts'
import { parseRunbook } from './parse.ts'
import { createStepRecord, missingTools, resolveStep } from './steps.ts'
import { proves } from '../../../../test/kit/proves.ts'

const facts: RunFacts = {
  message: { name: 'Ada' },
  case: null,
  run: { id: 'r1', number: 1, title: null, agent_id: 'a1', agent_name: 'Agent', source: 'api', created_at: '' },
}
const block = (info: string, body = ''): string => `\`\`\`${info}\n${body}\n\`\`\`\n`

function blocksOf(procedure: string) {
  const { blocks, problems } = parseRunbook(procedure)
  assert.deepEqual(problems, [])
  return blocks
}

proves('runbook.tools', 'the tools that a procedure needs are known without running it', () => {
  const blocks = blocksOf(
    block('bash', 'ls') +
      block('python on_error=ask', '1') +
      block('tool name=crm.find', '{"a": {{ memory["a"] }}}') +
      block('output', 'x'),
  )
  assert.deepEqual(missingTools(blocks), [
    { tool: 'sandbox_exec', line: 1 },
    { tool: 'human_ask', line: 4 },
    { tool: 'memory_read', line: 7 },
    { tool: 'crm.find', line: 7 },
  ])
  assert.deepEqual(missingTools(blocks, new Set(['sandbox_exec', 'memory_read', 'human_ask'])), [
    { tool: 'crm.find', line: 7 },
  ])
})

proves('runbook.runStep', 'a model runs a step as it is written, with the results of those before it', () => {
  const blocks = blocksOf(
    block('tool id=find name=find', '{"q": {{ message.name }}}') +
      block('bash id=show if="steps.find.output.n > 0"', 'echo {{ steps.find.output.n }} {{ memory["a.md"] }}') +
      block('output id=end', '{{ steps.show.ok }} {{ steps.show.error }}'),
  )
  const record = createStepRecord(blocks, facts)
  let calls = 0
  const happens = (name: string, given: unknown, result: unknown, error: string | null = null): void => {
    calls += 1
    record.add({ kind: 'assistant', text: null, calls: [{ id: `r1:${calls}`, name, arguments: given }], opaque: null })
    record.add({ kind: 'result', call_id: `r1:${calls}`, name, result, error })
  }
  const errorOf = (id: string): string => (resolveStep(blocks, id, record.scope) as { error: string }).error

  assert.match(errorOf('gone'), /There is no step "gone". There are: find, show, end\./)
  assert.match(errorOf('show'), /Run first: find/)
  assert.deepEqual(resolveStep(blocks, 'find', record.scope), { name: 'find', arguments: { q: 'Ada' } })
  happens('run_step', { id: 'find' }, { n: 0 })
  assert.match(errorOf('show'), /condition of the step show is not met/)
  happens('run_step', { id: 'find' }, { n: 2 })
  assert.match(errorOf('show'), /Call memory_read with that path/)
  happens('memory_read', { path: 'a.md' }, { content: 'kept' })
  const ready = { name: 'sandbox_exec', arguments: { language: 'bash', code: "echo '2' 'kept'" } }
  assert.deepEqual(resolveStep(blocks, 'show', record.scope), ready)
  happens('memory_write', { path: 'a.md', content: 'x' }, {})
  assert.match(errorOf('show'), /memory_read/)
  happens('memory_read', { path: 'a.md' }, null, 'gone')
  happens('run_step', { id: 'show' }, { exit_code: 1, stderr: 'bad' })
  assert.match(errorOf('end'), /is the output of the run. .*"false exit code 1: bad"/)
  record.add({ kind: 'user', text: '{"name": "Bob"}', restarts: true })
  assert.deepEqual(resolveStep(blocks, 'find', record.scope), { name: 'find', arguments: { q: 'Bob' } })
  assert.match(errorOf('show'), /Run first: find/)
})

proves('runbook.runStep', 'a step that cannot be written says why', () => {
  const blocks = blocksOf(block('http id=get', 'GET https://a.example/{{ message.missing }}'))
  const resolved = resolveStep(blocks, 'get', createStepRecord(blocks, facts).scope)
  assert.match((resolved as { error: string }).error, /The step get \(line 1\) cannot be run: A value in the path/)
})
