// Puts the service and the command line into few large files. Usage: serviceBundle.mjs FOLDER [--package], under Node 24.
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { besides, programs, writeBundle } from './bundle.mjs'
import { root } from './install.mjs'
import { noBundler } from './testGroups.mjs'

await import('rolldown').catch((error) => {
  console.error(`The bundler does not run on ${process.platform} ${process.arch}. (${error.message})`)
  process.exit(noBundler)
})

const [folder, forPackage] = process.argv.slice(2)
// in the npm package, what lies beside the sources lies beside the bundle, and other packages come by npm
const options = forPackage
  ? { sources: '.', packages: 'outside' }
  : { sources: relative(folder, root).split(sep).join('/') }
await writeBundle(folder, programs, options)
for (const file of besides) await writeBundle(folder, [file], options)

// whoever looks for a whole build looks for this file, so it is the last
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
const lengths = files.map((file) => ({ path: relative(folder, file), bytes: statSync(file).size }))
if (!forPackage) writeFileSync(join(folder, 'files.json'), JSON.stringify(lengths))
