// How far a model is: each heading once, not more than once a second, and nothing is lost at the end.
import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { followWriting } from './writingProgress.ts'
import { proves } from '../../../../test/kit/proves.ts'

const answer = JSON.stringify({ procedure: '# Mails\n## Goal\n\nx "# no"\n\n## Steps\n', questions: [] })

proves(
  'builder.progress',
  'headings are reported together, once a second, and what is left at the end is handed over',
  async (t) => {
    mock.timers.enable({ apis: ['setInterval'] })
    t.after(() => mock.timers.reset())
    const told: string[][] = []
    const writing = followWriting(
      2,
      async (lines) => void told.push(lines),
      () => assert.fail('nothing is lost'),
    )
    for (const letter of answer) writing.hear(letter)
    assert.deepEqual(told, [])
    mock.timers.tick(1000)
    writing.hear('\\n### Late\\n')
    assert.deepEqual(writing.left(), ['Turn 2: writing “Late”.'])
    await writing.end()
    mock.timers.tick(1000)
    assert.deepEqual(told, [['Turn 2: writing “Mails”.', 'Turn 2: writing “Goal”.', 'Turn 2: writing “Steps”.']])
  },
)

proves('builder.progress', 'a report that fails ends the work, and a slow one is not overtaken', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.after(() => mock.timers.reset())
  const lost: unknown[] = []
  const { promise, reject } = Promise.withResolvers<void>()
  let calls = 0
  const tell = () => {
    calls += 1
    return promise
  }
  const writing = followWriting(1, tell, (error) => lost.push(error))
  mock.timers.tick(3000)
  assert.equal(calls, 1)
  const refused = new Error('not ours any more')
  reject(refused)
  await writing.end()
  assert.deepEqual(lost, [refused])
})
