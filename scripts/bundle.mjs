// Puts programs of ours into few large files, with rolldown.
//
// A process that loads the service from its sources reads some 1,500 files: 1.1 s of processor time, and 0.3 s from a bundle. Whoever takes
// over from a process that died waits for that.
import http from 'node:http'
import { join, posix, relative, sep } from 'node:path'
import { root } from './install.mjs'
import { bundledName } from './testGroups.mjs'

/** What people and the service start. */
export const programs = ['server/src/main.ts', 'cli/src/main.ts', 'server/src/drill/main.ts']

/**
 * What these start beside themselves: threads, the child of just-bash, and what starts other commands. Each is whole in one file, since that child may read few. From
 * their sources each thread would load Node's stripping of types first (measured: 0.2 s for a child with its threads).
 */
export const besides = [
  'server/src/base/page/xlsxThread.ts',
  'server/src/drivers/browser/unpackChromium.ts',
  'server/src/drivers/sandbox/justBashChild.ts',
  'server/src/drivers/sandbox/justBashWatchdog.ts',
  'server/src/drivers/sandbox/launchCommands.ts',
  'server/src/drivers/sandbox/proxyRelay.ts',
  'server/src/drivers/sandbox/waitForChange.ts',
  'server/src/kit/parentWatch.ts',
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

const slashes = (path) => path.split(sep).join('/')

const inBundle = (source) => `$inBundle(${JSON.stringify(bundledName(source))})`

/**
 * A file of ours looks for what lies beside it: migrations, templates, scripts. So it keeps the place of its source. What is started by its
 * file, which is asked for by `besideFile`, is in the bundle. All places are told from where the bundle itself lies: it may be moved,
 * together with what is beside it.
 */
const keepsPlace = (started) => ({
  name: 'keeps-place',
  transform: {
    filter: { id: { exclude: /node_modules/ }, code: /import\.meta\.(url|dirname|filename|main)/ },
    handler(code, file) {
      const source = slashes(relative(root, file))
      const place = started.has(source) ? inBundle(source) : `$besideSources(${JSON.stringify(source)})`
      return code
        .replaceAll(/besideFile\('([^']+)', import\.meta\.url\)/g, (_, name) => {
          const asked = posix.join(posix.dirname(source), `${name}.ts`)
          if (!started.has(asked)) throw new Error(`${source} starts ${asked}, which is not in the bundle`)
          return inBundle(asked)
        })
        .replaceAll('import.meta.main', `$isStarted(${place})`)
        .replaceAll('import.meta.url', `${place}.href`)
        .replaceAll('import.meta.dirname', `$pathOf(new URL('.', ${place})).slice(0, -1)`)
        .replaceAll('import.meta.filename', `$pathOf(${place})`)
    },
  },
})

/** The words of keepsPlace, in each file of the bundle: with a sign that no name of ours has. */
function places({ fileName }, sources) {
  const toBundle = posix.relative(posix.dirname(fileName), '.') || '.'
  return [
    `const $inBundle = (path) => new URL(${JSON.stringify(`${toBundle}/`)} + path, import.meta.url)`,
    `const $besideSources = (path) => new URL(${JSON.stringify(`${posix.join(toBundle, sources)}/`)} + path, import.meta.url)`,
    `const $pathOf = (url) => process.getBuiltinModule('node:url').fileURLToPath(url)`,
    `const $isStarted = (url) => process.argv[1] === $pathOf(url)`,
  ].join('\n')
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

/**
 * Writes the files into `folder`, with what they share in files of their own. `sources` is the way from there to the folder in which our
 * sources have their places. `packages: 'outside'` leaves out every package.
 */
export async function writeBundle(folder, files, { alsoStarted = [], sources, packages = 'inside' }) {
  const { rolldown } = await import('rolldown')
  const isOutside = (name) =>
    name !== 'node:http' &&
    !/^[./]|^[A-Z]:/.test(name) &&
    !(packages === 'inside' && packagesInside.test(name)) &&
    !(name in alias)
  const bundle = await rolldown({
    input: Object.fromEntries(files.map((file) => [bundledName(file), join(root, file)])),
    platform: 'node',
    external: isOutside,
    resolve: { alias },
    plugins: [httpWithoutClient, keepsPlace(new Set([...programs, ...besides, ...alsoStarted]))],
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
    intro: (chunk) => places(chunk, sources),
  })
  await bundle.close()
}
