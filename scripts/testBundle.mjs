// Puts the tests and the programs that they start into few large files. Usage: testBundle.mjs FOLDER.
//
// A process that loads the service from its sources reads some 1,500 files: 0.95 s of processor time, and 0.25 s from the bundle. A run of
// npm test has 200 of them. With files named (npm test -- FILE…) nothing is bundled: errors then name lines of the sources.
import http from 'node:http'
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

/** What tests start in a process of its own: apart from the tests, since what they share would come in 150 files (measured: 0.05 s). */
const programs = [
  'server/src/main.ts',
  'cli/src/main.ts',
  'server/src/drill/main.ts',
  'server/test/survival/killerService.ts',
  'server/test/survival/repeatingWorker.ts',
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
  'server/src/drill/ground.ts',
  'server/src/drill/scratch.ts',
  'server/src/features/system/drills/takeDrill.ts',
]

/**
 * Packages that every process loads, each with what it needs itself, so that each is there once (measured: 0.13 s less for a process). All
 * others stay outside: some look for files beside themselves, as pino does.
 */
const packagesInside = new RegExp(
  `^(${[
    'typebox',
    'prom-client|tdigest|bintrees|@opentelemetry/api',
    'diff|parse5|entities|yaml|croner|ipaddr\\.js|oauth4webapi',
    'fastify|@fastify/(error|proxy-addr|forwarded)|avvio|fastq|reusify|find-my-way|fast-querystring|fast-decode-uri-component',
    'fast-deep-equal|ret|safe-regex2|rfdc|secure-json-parse|semver|toad-cache|process-warning',
    'pg|pg-(pool|protocol|types|int8|connection-string)|postgres-(array|bytea|date|interval)|xtend',
    'graphile-worker|graphile-config|@graphile/logger|cosmiconfig|import-fresh|json5|path-type|parse-json|error-ex|is-arrayish',
    'json-parse-even-better-errors|lines-and-columns|@babel/(code-frame|helper-validator-identifier)|picocolors|js-tokens',
  ].join('|')})($|/)`,
)

/** The console calls the SDK by its name, which leads to its sources as in console/vite.config.ts: a checkout has no other. */
const alias = { '@runyard/sdk': join(root, 'sdk/src/index.ts') }

const isOutside = (name) =>
  name !== 'node:http' && !/^[./]|^[A-Z]:/.test(name) && !packagesInside.test(name) && !(name in alias)

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

/** An import of node:http reads everything that it has, and so loads the client of fetch, which few processes use (measured: 0.04 s). */
const httpWithoutClient = {
  name: 'http-without-client',
  resolveId: {
    filter: { id: /^node:http$/ },
    // what is required is not read
    handler: (id, _importer, { kind }) => (kind === 'require-call' ? { id, external: true } : '\0http-without-client'),
  },
  load: {
    filter: { id: /http-without-client$/ },
    handler() {
      const names = Object.keys(http).filter((name) => !['WebSocket', 'CloseEvent', 'MessageEvent'].includes(name))
      return `const http = process.getBuiltinModule('node:http')\nexport default http\nexport const { ${names.join(', ')} } = http\n`
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
    plugins: [httpWithoutClient, keepsPlace],
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

await write(testFiles())
await write(programs)
for (const file of besides) await write([file])
