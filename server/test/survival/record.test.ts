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

proves('proofs.record', 'a new result replaces that of the same proof alone', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-proofs-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'survival.json')
  await writeFile(file, '{"first": {"holds": true}, "second": {"holds": true}}')
  const shown = { commit: '1234567', date: '2026-11-16', holds: false, counts }
  await recordProof('second', shown, file)
  assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), { first: { holds: true }, second: shown })
})
