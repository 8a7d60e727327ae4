// Puts the tests and the programs that they start into few large files. Usage: testBundle.mjs FOLDER.
//
// A process that loads the service from its sources reads some 1,500 files: 0.95 s of processor time, and 0.4 s from the bundle. A run of
// npm test has 200 of them. With files named (npm test -- FILE…) nothing is bundled: errors then name lines of the sources.
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from './install.mjs'
import { bundledName, noBundler, testFiles } from './testGroups.mjs'

const { rolldown } = await import('rolldown').catch((error) => {
  console.error(
    `The bundler does not run on this platform, so the tests run from their sources, more slowly: ${error.message}`,
  )
  process.exit(noBundler)
})

const folder = process.argv[2]

/** What tests start in a process of its own. */
const programs = [
  'server/src/main.ts',
  'cli/src/main.ts',
  'server/test/survival/killerService.ts',
  'server/test/survival/slowJobService.ts',
]

/**
 * What these start beside themselves: threads, and the child of just-bash. Each is whole in one file, since that child may read few. From
 * their sources each thread would load Node's stripping of types first (measured: 0.2 s for a child with its threads).
 */
const besides = [
  'server/src/base/page/xlsxThread.ts',
  'server/src/drivers/sandbox/justBashChild.ts',
  'server/src/drivers/sandbox/justBashWatchdog.ts',
  'server/src/drivers/sandbox/waitForChange.ts',
  'server/src/kit/parentWatch.ts',
]

/** The files that start them look for them in the bundle. */
const starters = [
  'server/src/base/page/xlsx.ts',
  'server/src/drivers/sandbox/childFlags.ts',
  'server/src/drivers/sandbox/justBashProcess.ts',
]

/** Packages of many small files that nothing but our own code loads. All others stay outside: some look for files beside themselves. */
const packagesInside = /^(typebox|prom-client|@opentelemetry\/api|diff|parse5)($|\/)/

/** The console calls the SDK by its name, which leads to its sources as in console/vite.config.ts: a checkout has no other. */
const alias = { '@runyard/sdk': join(root, 'sdk/src/index.ts') }

const isOutside = (name) => !/^[./]|^[A-Z]:/.test(name) && !packagesInside.test(name) && !(name in alias)

const inBundle = new Map(
  [...programs, ...besides, ...starters].map((name) => [join(root, name), join(folder, bundledName(name))]),
)

/**
 * A file of ours looks for what lies beside it: migrations, templates, scripts. So it keeps the place of its source. A program knows by
 * `import.meta.main` that it is the one that was started, and may start its own file again: that is the file in the bundle.
 */
const keepsPlace = {
  name: 'keeps-place',
  transform: {
    filter: { id: { exclude: /node_modules/ }, code: /import\.meta\.(url|dirname|filename|main)/ },
    handler(code, file) {
      const place = inBundle.get(file) ?? file
      return code
        .replaceAll('import.meta.main', `(process.argv[1] === ${JSON.stringify(place)})`)
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(place).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(place)))
        .replaceAll('import.meta.filename', JSON.stringify(place))
    },
  },
}

const entriesOf = (files) => Object.fromEntries(files.map((file) => [bundledName(file), join(root, file)]))

async function write(files) {
  const bundle = await rolldown({
    input: entriesOf(files),
    platform: 'node',
    external: isOutside,
    resolve: { alias },
    plugins: [keepsPlace],
    // nothing is left out: the bundler takes calls for idle that are not, such as a decodeURIComponent that is there to throw
    treeshake: false,
    logLevel: 'silent',
  })
  await bundle.write({
    dir: folder,
    format: 'esm',
    minify: false,
    entryFileNames: '[name]',
    chunkFileNames: 'parts/[name]-[hash].mjs',
  })
  await bundle.close()
}

await write([...testFiles(), ...programs])
for (const file of besides) await write([file])
