// npm run pack [-- FOLDER]: makes the npm package `runyard`, which runs the service outside of a checkout, as runyard-VERSION.tgz in `dist`.
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { consoleFiles, ensureConsole } from './buildConsole.mjs'
import { ensureInstalled, npmProgram, root } from './install.mjs'
import { exitWith, runNode } from './run.mjs'

const target = resolve(process.argv[2] ?? join(root, 'dist'))
const staging = join(target, 'runyard')
/** The workspaces of which the package is made. They stand beside each other as in the repository, so that their imports hold. */
const parts = ['server', 'sdk', 'cli'].filter((part) => existsSync(join(root, part, 'package.json')))

const readManifest = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))

function writeJson(path, value) {
  mkdirSync(dirname(join(staging, path)), { recursive: true })
  writeFileSync(join(staging, path), `${JSON.stringify(value, null, 2)}\n`)
}

function copy(from, to) {
  mkdirSync(dirname(join(staging, to)), { recursive: true })
  cpSync(join(root, from), join(staging, to), { recursive: true })
}

/** Node strips no types below node_modules, so the package has JavaScript. */
async function writePrograms() {
  const code = await runNode(['scripts/serviceBundle.mjs', join(staging, 'lib'), '--package'])
  if (code !== 0) throw new Error(`the programs could not be bundled (exit ${code})`)
}

/** Templates and other files that stand beside the sources and are read when the service runs. */
function copyFilesBesidePrograms(part) {
  const names = readdirSync(join(root, part, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && extname(entry.name) !== '.ts' && entry.name !== 'README.md')
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
  for (const name of names) copy(name, join('lib', name))
}

/** Each part keeps its name and version: programs read them there. */
function writeManifests() {
  const manifests = parts.map((part) => ({ part, ...readManifest(part) }))
  for (const { part, name, version, type } of manifests)
    writeJson(join('lib', part, 'package.json'), { name, version, private: true, type })
  const { version, license, engines, optionalDependencies } = readManifest('.')
  const { part, bin } = manifests.findLast((one) => one.bin?.runyard)
  copy(join(part, bin.runyard), join('lib', part, bin.runyard))
  writeJson('package.json', {
    name: 'runyard',
    version,
    description: 'A self-hosted service that runs AI agents: durable runs, people in the loop, queues, signed events.',
    keywords: ['agents', 'ai', 'automation', 'self-hosted', 'workflows'],
    license,
    type: 'module',
    bin: { runyard: `lib/${part}/${bin.runyard}` },
    files: ['lib'],
    engines,
    publishConfig: { access: 'public', provenance: true },
    dependencies: Object.assign({}, ...manifests.map((one) => one.dependencies)),
    // the Node 24 that runs the service comes from npm too
    optionalDependencies: Object.assign({}, ...manifests.map((one) => one.optionalDependencies), optionalDependencies),
  })
}

function npmPack() {
  const npm = npmProgram()
  const words = ['pack', '--ignore-scripts', '--silent', '--pack-destination', target]
  const child = spawn(npm[0], [...npm.slice(1), ...words], {
    cwd: staging,
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: npm.length === 1 && process.platform === 'win32',
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => (said += text))
  return new Promise((done, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? done(basename(said.trim())) : reject(new Error(`npm pack failed (exit ${code})`)),
    )
  })
}

await exitWith(async () => {
  await ensureInstalled({ dev: true })
  rmSync(staging, { recursive: true, force: true })
  await writePrograms()
  for (const part of parts) copyFilesBesidePrograms(part)
  copy('server/migrations', 'lib/server/migrations')
  // built: what it is made of, React for example, is no package that the service needs
  if ((await ensureConsole()) !== 0) throw new Error('there is no package without the console')
  for (const file of consoleFiles()) copy(file, join('lib', file))
  copy('server/README.md', 'README.md')
  copy('LICENSE', 'LICENSE')
  writeManifests()
  console.log(join(target, await npmPack()))
  return 0
})
