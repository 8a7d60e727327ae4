// node scripts/withPrograms.mjs FILE args…: runs a file of tests or measurements, whose services start from a bundle, as those of users do.
import { inTestBundle } from './inTestBundle.mjs'
import { ensureInstalled } from './install.mjs'
import { exitWith, runNode } from './run.mjs'

await exitWith(async () => {
  await ensureInstalled({ dev: true })
  return inTestBundle(['--programs'], () => runNode(process.argv.slice(2)))
})
