// What a unified diff says, line by line and word by word.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPatch } from './patch.ts'

const patch = `--- revision 1
+++ revision 2
@@ -20,4 +20,5 @@
 Same.
-Full price within 14 days of delivery.
+Full price within 30 days of delivery, half
+of it after that.
 @@ not a head
-gone
@@ -90 +91 @@
-"when": "amount > 250"
\\ No newline at end of file
+"when": "amount > 100"
`

test('a diff has its places, its lines, and the words that differ', () => {
  const { hunks, added, removed } = readPatch(patch)
  assert.deepEqual([added, removed], [3, 3])
  assert.deepEqual(
    hunks.map(({ line, rows }) => [line, rows.length]),
    [
      [20, 6],
      [91, 2],
    ],
  )
  const words = hunks.flatMap(({ rows }) =>
    rows.map(({ mark, text, changed }) => mark + (changed ? text.slice(...changed) : '')),
  )
  assert.deepEqual(words, [' ', '-14 days of delivery.', '+30 days of delivery, half', '+', ' ', '-', '-250', '+100'])
})

test('an empty diff, or another text, has no lines', () => {
  for (const text of ['', 'hello\n-world']) assert.deepEqual(readPatch(text), { hunks: [], added: 0, removed: 0 })
})
