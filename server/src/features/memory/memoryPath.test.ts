// Which paths a memory file may have.
import assert from 'node:assert/strict'
import { memoryPath } from './memoryPath.ts'
import { proves } from '../../../test/kit/proves.ts'

proves('memory.paths', 'clean relative paths are taken, and an accent is one letter in both of its spellings', () => {
  const good = ['a', 'notes.md', 'a/b/c.txt', '.hidden', '..name', 'a b/ü.md', '%2e%2e', '日本/語.md', 'x'.repeat(512)]
  for (const path of [...good, Array(16).fill('d').join('/')]) assert.deepEqual(memoryPath(path), { path })
  assert.deepEqual(memoryPath('cafe\u0301.md'), { path: 'caf\u00e9.md' })
})

proves('memory.paths', 'every other path is refused with the rule that it breaks', () => {
  const refused: [RegExp, string[]][] = [
    [/empty: write/, ['']],
    [/relative/, ['/', '/etc/passwd', '//a']],
    [/empty segment/, ['a//b', 'a/', 'a/b//']],
    [/segment \. or \.\./, ['.', '..', '../a', 'a/../b', 'a/..', './a', 'a/./b']],
    [/backslash/, ['a\\b', '..\\a', 'C:\\x']],
    [/control characters/, ['a\u0000', 'a\nb', '\u007f', 'a\u0085b', 'a\u2028b', '\ud800']],
    [/512 bytes/, ['x'.repeat(513), 'é'.repeat(257)]],
    [/16 levels/, [Array(17).fill('d').join('/')]],
  ]
  for (const [rule, paths] of refused) {
    for (const path of paths) {
      const checked = memoryPath(path)
      assert.match('problem' in checked ? checked.problem : 'taken', rule, JSON.stringify(path))
    }
  }
})
