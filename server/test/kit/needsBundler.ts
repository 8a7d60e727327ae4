// Whether the console and the service can be built here: where their bundler has no program for the platform, tests are skipped and say why.
import { createRequire } from 'node:module'

/** Without `await`: a module that files of one process wait for together would put the tests of all into the suite of the first. */
function reasonAgainst(): string | false {
  try {
    createRequire(import.meta.url)('rolldown')
    return false
  } catch (error) {
    return `the bundler does not run on this platform: ${String(error)}`
  }
}

export const needsBundler = { skip: reasonAgainst() }
