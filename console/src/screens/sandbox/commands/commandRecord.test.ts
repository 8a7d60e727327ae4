// Commands that the browser keeps: what is not one is left out, and the arrow keys bring earlier ones back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { earlier, readCommands, type Command } from './commandRecord.ts'

const done: Command = {
  id: '1',
  command: 'ls',
  timeoutS: 60,
  at: '2026-01-01T00:00:00.000Z',
  result: { exit_code: 0, stdout: 'a\n', stderr: '', truncated: false, duration_ms: 4 },
}

test('commands that were kept are read back, also one without an answer', () => {
  const { result: _, ...waiting } = done
  assert.deepEqual(readCommands(JSON.stringify([done, waiting])), [done, waiting])
})

test('what does not look like a command is left out', () => {
  for (const kept of [null, '', '{', 'null', '{"id": "1"}']) assert.deepEqual(readCommands(kept), [])
  const broken = [{ ...done, command: 5 }, { ...done, result: {} }, null, 'ls']
  assert.deepEqual(readCommands(JSON.stringify([...broken, done])), [done])
})

test('the arrow keys go back to the first command and no further', () => {
  const second = { ...done, id: '2', command: 'wc -l a' }
  assert.deepEqual(
    [0, 1, 2, 3].map((steps) => earlier([done, second], steps)),
    ['', 'wc -l a', 'ls', 'ls'],
  )
  assert.equal(earlier([], 1), '')
})
