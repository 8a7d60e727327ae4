// Runs something with a bundle of the tests and of the programs that they start; RUNYARD_TEST_BUNDLE names its folder meanwhile.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './install.mjs'
import { runNode } from './run.mjs'
import { noBundler } from './testGroups.mjs'

/** `words`: what testBundle.mjs is told besides. The bundle lies below node_modules: the packages that stay outside are found from there. */
export async function inTestBundle(words, work) {
  const bundle = join(root, 'node_modules', '.cache', `runyard-tests-${process.pid}`)
  try {
    const code = await runNode(['scripts/testBundle.mjs', bundle, ...words])
    if (code === noBundler) return await work()
    if (code !== 0) return code
    process.env.RUNYARD_TEST_BUNDLE = bundle
    return await work(bundle)
  } finally {
    rmSync(bundle, { recursive: true, force: true })
  }
}
