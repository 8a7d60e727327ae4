// Builds the console with Vite into an empty folder, each file also compressed. Usage: viteConsole.mjs FOLDER, under Node 24.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { root } from './install.mjs'
import { noBundler } from './testGroups.mjs'

const folder = process.argv[2]
// said by whoever starts us for reasons of their own: React would come with all its checks for developers
process.env.NODE_ENV = 'production'

const { build } = await import('vite').catch((error) => {
  console.error(
    `The console is not built, since its bundler does not run on ${process.platform} ${process.arch}. The npm package has it: npx runyard. (${error.message})`,
  )
  process.exit(noBundler)
})

/** What a browser is told about a file, by its ending. A build with another ending fails, instead of serving it as something else. */
const types = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/** These are compressed already. */
const isCompressed = (path) => /\.(png|webp|woff2)$/.test(path)

/** Below this a compressed answer is hardly smaller. */
const worthEncodingBytes = 1024

/** On other threads. The best that each can do: the page is compressed once and sent often. */
const encoders = {
  '.br': (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  '.gz': (bytes) => promisify(gzip)(bytes, { level: 9 }),
}

/** Names what is inside: licenses.txt has the licence of every package of which there is code in the console. */
const withLicenses = {
  name: 'with-licenses',
  generateBundle() {
    const source = licensesOf([...this.getModuleIds()])
    this.emitFile({ type: 'asset', fileName: 'licenses.txt', source })
  },
}

function licensesOf(ids) {
  const folders = new Set(ids.flatMap((id) => packageFolder(id) ?? []))
  // these two add code of their own: how modules are loaded
  for (const name of ['vite', 'rolldown']) folders.add(join(root, 'node_modules', name))
  const parts = [...folders].map((place) => {
    const { name, version, license, homepage } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
    return { name, text: [`${name} ${version}`, license, homepage, '', licenseText(place, license)] }
  })
  parts.sort((one, other) => (one.name < other.name ? -1 : 1))
  const line = `\n\n${'-'.repeat(80)}\n\n`
  const head = 'Runyard’s console has code of these packages. Runyard itself is under the Apache License 2.0.'
  return `${[head, ...parts.map(({ text }) => text.filter((one) => one !== undefined).join('\n'))].join(line)}\n`
}

/** The package that a module belongs to: the last folder below a node_modules. Undefined for our own. */
function packageFolder(id) {
  const file = id.replace(/^\0+/, '').replace(/\?.*$/, '').replaceAll('\\', '/')
  const [found] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? []
  return found
}

function licenseText(place, license) {
  const name = readdirSync(place).find((one) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(one))
  if (name === undefined) {
    if (license === undefined) throw new Error(`${place} has no licence`)
    return `Its package has no text of this licence.`
  }
  // a bundler adds the licences of what it has inside, none of which comes with the page
  const [own] = readFileSync(join(place, name), 'utf8').split(/^# Licenses of bundled dependencies/m)
  return own.trim()
}

async function writeFiles(output) {
  const files = await Promise.all(
    output.map(async ({ path, bytes }) => {
      const type = types[extname(path)]
      if (type === undefined) throw new Error(`scripts/viteConsole.mjs knows no content type for ${path}`)
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), bytes)
      const encodings = {}
      for (const [ending, encode] of Object.entries(encoders)) {
        if (isCompressed(path) || bytes.length < worthEncodingBytes) continue
        const encoded = await encode(bytes)
        if (encoded.length >= bytes.length) continue
        writeFileSync(join(folder, `${path}${ending}`), encoded)
        encodings[ending] = encoded.length
      }
      return { path, type, bytes: bytes.length, encodings }
    }),
  )
  files.sort((one, other) => (one.path < other.path ? -1 : 1))
  writeFileSync(join(folder, 'files.json'), `${JSON.stringify(files, null, 1)}\n`)
}

/** Files of `public` go into the build as they are. */
function publicFiles() {
  const place = join(root, 'console', 'public')
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ path: relative(place, file).replaceAll('\\', '/'), bytes: readFileSync(file) }))
}

const { output } = await build({
  root: join(root, 'console'),
  // Node reads it itself, without a bundle of it in a folder that may be read-only
  configLoader: 'native',
  mode: 'production',
  envDir: false,
  logLevel: 'warn',
  plugins: [withLicenses],
  build: { write: false, copyPublicDir: false },
})
await writeFiles([
  ...output.map(({ fileName, code, source }) => ({ path: fileName, bytes: Buffer.from(code ?? source) })),
  ...publicFiles(),
])
