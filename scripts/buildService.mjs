// Puts the service into few large files, in server/dist, when they are missing or its sources have changed: a process then starts in a third
// of the time, and whoever takes over from one that died waits for that. docs/decisions/0076 has the figures.
import { join } from 'node:path'
import { builtFolder, ensureBuilt } from './ensureBuilt.mjs'
import { root } from './install.mjs'
import { noBundler } from './testGroups.mjs'

const dist = join(root, 'server', 'dist')

const sources = [
  'package-lock.json',
  'scripts/bundle.mjs',
  'scripts/serviceBundle.mjs',
  'cli/package.json',
  'cli/src',
  'sdk/src',
  'server/package.json',
  'server/src',
]

/** Resolves to the file that runs the service: that of the build, or the source where it cannot be built. */
export async function serviceFile() {
  const code = await ensureBuilt({
    dist,
    sources,
    program: 'scripts/serviceBundle.mjs',
    name: 'the service',
    says: 'Preparing the service, a few seconds…',
    // one that runs starts processes from its build, also when newer ones were made
    kept: 3,
  })
  if (code === 0) return join(dist, builtFolder(dist), 'server', 'src', 'main.mjs')
  const slowly = 'The service starts from its sources, a second later.'
  console.error(
    code === noBundler ? slowly : `The service could not be put into few files (exit ${code}): see above. ${slowly}`,
  )
  return join('server', 'src', 'main.ts')
}
