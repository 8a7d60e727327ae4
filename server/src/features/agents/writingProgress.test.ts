// How far a model is: each heading once, not more than twice a second, and nothing is lost at the end.
import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { followWriting } from './writingProgress.ts'

const answer = JSON.stringify({ procedure: '# Mails\n## Goal\n\nx "# no"\n\n## Steps\n', questions: [] })

// proves builder.progress
test('headings are told together, half a second after the first of them', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const told: string[][] = []
  const writing = followWriting(
    2,
    async (lines) => void told.push(lines),
    () => assert.fail('nothing is lost'),
  )
  for (const letter of answer) writing.hear(letter)
  assert.deepEqual(told, [])
  mock.timers.tick(500)
  writing.hear('\\n### Late\\n')
  assert.deepEqual(writing.left(), ['Turn 2: writing “Late”.'])
  await writing.end()
  mock.timers.tick(500)
  assert.deepEqual(told, [['Turn 2: writing “Mails”.', 'Turn 2: writing “Goal”.', 'Turn 2: writing “Steps”.']])
})

// proves builder.progress
test('what cannot be told ends the work', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const lost: unknown[] = []
  const refused = new Error('not ours any more')
  const writing = followWriting(
    1,
    () => Promise.reject(refused),
    (error) => lost.push(error),
  )
  writing.hear(answer)
  mock.timers.tick(500)
  await writing.end()
  assert.deepEqual(lost, [refused])
})
