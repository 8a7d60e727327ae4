// The record of survival proofs: the table stays short, and the file keeps every counter of every proof.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { proves } from '../kit/proves.ts'
import { recordProof, tableCell } from './record.ts'

const counts = { runs: 1, lost: 0, a: 1, b: 2, c: 3, d: 4, hidden: 5 }

proves('proofs.record', 'a proof that holds shows six counters, and one that does not shows all', () => {
  assert.equal(tableCell({ counts, holds: true }), 'runs 1, lost 0, a 1, b 2, c 3, d 4, …')
  assert.match(tableCell({ counts, holds: false }), /hidden 5$/)
})

proves(
  'proofs.record',
  'a new result replaces that of the same proof alone, in the file and in the table of the page',
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'runyard-proofs-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    const files = { json: join(folder, 'survival.json'), page: join(folder, 'survival.md') }
    const before = { commit: '7654321', date: '2026-11-15', holds: true, counts: { lost: 0 } }
    await writeFile(files.json, JSON.stringify({ first: before, second: before }))
    await writeFile(
      files.page,
      'Before it.\n\n| Proof | old |\n|---|---|\n| second | old |\n\nAfter it, a person writes.\n',
    )
    const shown = {
      commit: '1234567',
      date: '2026-11-16',
      must: 'half',
      seconds: 9,
      loadBefore: 0.2,
      holds: false,
      counts: { lost: 1 },
    }
    const proofs = ['first', 'second', 'third'].map((name) => ({
      name,
      must: 'all',
      run: () => Promise.reject(new Error(name)),
    }))
    await recordProof('second', shown, proofs, files)
    assert.deepEqual(JSON.parse(await readFile(files.json, 'utf8')), { first: before, second: shown })
    assert.equal(
      await readFile(files.page, 'utf8'),
      `Before it.

| Proof | Must show | Seen | Holds | At |
|---|---|---|---|---|
| first | all | lost 0 | yes | 7654321, 2026-11-15 |
| second | half | lost 1 (9 s) | **no** | 1234567, 2026-11-16, load 0.2 before |
| third | all | not run | | |

After it, a person writes.
`,
    )
  },
)
