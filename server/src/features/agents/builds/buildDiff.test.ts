// The diff of two procedures stays a patch that can be applied, also where finding the smallest one would take too long.
import assert from 'node:assert/strict'
import { applyPatch } from 'diff'
import { diffConfigs, diffProcedures } from './buildDiff.ts'
import { proves } from '../../../../test/kit/proves.ts'

const build = (input: unknown, revision_number = 1) => ({
  revision_number,
  config: { version: 'v2' as const, data: { input } },
})

const lines = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join('\n')

proves(
  'builds.diffBounded',
  'a procedure that was rewritten is shown as replaced between the lines that stayed',
  () => {
    const before = `# Title\n${lines(1000, (at) => `old ${at}`)}\nThe end.\n`
    const after = `# Title\n${lines(1200, (at) => `new ${at}`)}\nThe end.\n`
    const patch = diffProcedures(build(before, 1), build(after, 2))
    assert.match(patch, /^--- revision 1\n\+\+\+ revision 2\n@@ -2,1000 \+2,1200 @@\n-old 0\n/)
    assert.equal(applyPatch(before, patch), after)
    const cases = [
      ['', after],
      [before, ''],
      [lines(900, String), lines(900, (at) => `${at}x`)],
      [`${lines(900, String)}\n`, lines(900, (at) => `${at}x`)],
      [before, `${before}${lines(900, (at) => `more ${at}`)}`],
      [`${before}${lines(900, (at) => `more ${at}`)}`, before],
    ]
    for (const [from, to] of cases) assert.equal(applyPatch(from!, diffProcedures(build(from), build(to, 2))), to)
  },
)

proves('builds.diff', 'a procedure in messages is compared as a whole, roles included', () => {
  const from = build([{ role: 'user', content: 'Go.' }])
  const to = build([{ role: 'system', content: 'Go.' }])
  assert.equal(diffProcedures(from, to), '')
  assert.deepEqual(
    diffConfigs(from, to).map(({ path, kind }) => [path, kind]),
    [['/data/input', 'changed']],
  )
  assert.deepEqual(diffConfigs(build('Go.'), build('Stop.')), [])
})
