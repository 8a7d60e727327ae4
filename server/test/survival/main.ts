// npm run survive: the long survival proofs, one after another on a quiet machine, printed as a table and recorded in docs/proofs.
import { execFileSync } from 'node:child_process'
import { loadavg } from 'node:os'
import { proofs } from './allProofs.ts'
import { temporaryDataDir } from './processes.ts'
import { recordProof, tableCell } from './record.ts'

/** A proof that throws does not hold. The others are run all the same, so that one night tells about all of them. */
function broken(error: unknown): { counts: object; holds: boolean } {
  console.error(error)
  return { counts: { error: String(error) }, holds: false }
}

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
const wanted = process.argv.slice(2)
const chosen = proofs.filter(({ name }) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
const date = new Date().toISOString().slice(0, 10)
console.log(`Survival proofs at ${commit}, ${date}\n`)
console.log('| Proof | Must show | Seen | Holds |\n|---|---|---|---|')
for (const { name, must, missing, run } of chosen) {
  const lacking = missing?.()
  if (lacking !== undefined) {
    console.log(`| ${name} | ${must} | skipped: ${lacking} | |`)
    continue
  }
  const dataDir = await temporaryDataDir()
  const loadBefore = Math.round(loadavg()[0]! * 10) / 10
  const began = Date.now()
  const { counts, holds } = await run(dataDir.path).catch(broken)
  const seconds = Math.round((Date.now() - began) / 1000)
  console.log(`| ${name} | ${must} | ${tableCell({ counts, holds })} (${seconds} s) | ${holds ? 'yes' : '**no**'} |`)
  await recordProof(name, { commit, date, must, seconds, loadBefore, holds, counts }, proofs)
  if (!holds) process.exitCode = 1
  // what a proof that threw has left running may still write there
  await dataDir.remove().catch(console.error)
}
