// Installs what is missing, once, however many commands start at the same time. Runs on any Node ≥ 18.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withInstallLock } from './installLock.mjs'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const modules = join(root, 'node_modules')
const stampFile = join(modules, '.runyard-install.json')

/**
 * `dev: false` is enough to run the service; `dev: true` adds the tools of checks and tests. What is there is never
 * taken away from a service that runs from it: production after all stays all.
 */
export async function ensureInstalled({ dev }) {
  const wanted = {
    kind: dev ? 'all' : 'production',
    hash: manifestHash(),
    platform: `${process.platform} ${process.arch}`,
  }
  if (satisfies(readJson(stampFile), wanted)) return
  mkdirSync(modules, { recursive: true })
  await withInstallLock(join(modules, '.runyard-install.lock'), async (noteChild) => {
    const stamp = readJson(stampFile)
    if (satisfies(stamp, wanted)) return // installed by another command while we waited
    const kind = stamp?.kind === 'all' ? 'all' : wanted.kind
    if (stamp?.state === 'installing') removeUnfinished(stamp.packages ?? {})
    console.error('Installing packages, about a minute the first time…')
    writeStamp({ ...wanted, kind, state: 'installing', packages: stamp?.packages ?? {} })
    await npmInstall(kind, noteChild)
    const state = missingPackages().length === 0 ? 'complete' : 'partial'
    writeStamp({ ...wanted, kind, state, packages: installedPackages() })
  })
}

/** Node 24 or newer: the one npm brought, else the one that runs us. */
export function nodeBinary() {
  const windows = process.platform === 'win32'
  const name = `node-${windows ? 'win' : process.platform}-${process.arch}`
  const brought = join(modules, name, 'bin', windows ? 'node.exe' : 'node')
  if (existsSync(brought) && loaderExists()) return brought
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  throw new Error(
    `Runyard needs Node 24, and npm has none for ${process.platform} ${process.arch}. ` +
      `Install Node 24 or newer from https://nodejs.org (this is ${process.version}) and try again.`,
  )
}

/** The Linux binary is made for glibc; without its loader (Alpine, NixOS) it cannot even start. */
function loaderExists() {
  if (process.platform !== 'linux') return true
  return existsSync(process.arch === 'arm64' ? '/lib/ld-linux-aarch64.so.1' : '/lib64/ld-linux-x86-64.so.2')
}

function satisfies(stamp, wanted) {
  return (
    stamp?.state === 'complete' &&
    stamp.hash === wanted.hash &&
    stamp.platform === wanted.platform &&
    (stamp.kind === 'all' || wanted.kind === 'production')
  )
}

/** Written last and by rename: an install that was cut off is never taken for a whole one. */
function writeStamp(stamp) {
  const staged = `${stampFile}.${process.pid}`
  writeFileSync(staged, `${JSON.stringify(stamp)}\n`)
  renameSync(staged, stampFile)
}

function manifests() {
  const { workspaces = [] } = readJson(join(root, 'package.json'))
  return ['package.json', ...workspaces.map((folder) => join(folder, 'package.json'))]
}

function manifestHash() {
  const hash = createHash('sha256')
  for (const file of ['package-lock.json', ...manifests()]) {
    hash.update(`${file}\0`)
    if (existsSync(join(root, file))) hash.update(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}

/**
 * `npm install`, not `npm ci`: ci removes node_modules first, also from under a running service. --no-save keeps
 * package.json and the lock file as they are. No package's install script is run: none is needed.
 */
async function npmInstall(kind, noteChild) {
  const words = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  // Said both ways, since NODE_ENV=production changes the default.
  words.push(kind === 'all' ? '--include=dev' : '--omit=dev')
  const npm = npmProgram()
  const child = spawn(npm[0], [...npm.slice(1), ...words], {
    cwd: root,
    env: environmentForNpm(),
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: npm.length === 1 && process.platform === 'win32', // npm.cmd cannot be started otherwise
  })
  noteChild(child)
  const output = []
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => output.push(chunk))
  const problem = await new Promise((resolve) => {
    child.on('error', (error) => resolve(`npm cannot be started: ${error.message}`))
    child.on('close', (code, signal) =>
      resolve(code === 0 ? undefined : `npm install failed (${signal ?? `exit ${code}`})`),
    )
  })
  if (!problem) return
  process.stderr.write(Buffer.concat(output))
  throw new Error(problem)
}

/** The npm that runs us, else the one in the path. npm.cmd can be started only through a shell. */
export function npmProgram() {
  const { npm_execpath: running } = process.env
  if (running?.endsWith('npm-cli.js')) return [process.execPath, running]
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm']
}

/** What was said to the npm that runs us (`npm start -w server`, `npm test --omit=dev`) is not meant for this one. */
function environmentForNpm() {
  const foreign =
    /^npm_config_(workspaces?|include_workspace_root|global|location|omit|include|only|production|dry_run)$/i
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))
}

/** npm's own record of what it has put where: path in node_modules → version. */
function installedPackages() {
  const { packages = {} } = readJson(join(modules, '.package-lock.json')) ?? {}
  return Object.fromEntries(Object.entries(packages).map(([path, { version }]) => [path, version]))
}

/**
 * npm unpacks into the final folder: when it is killed, a half-unpacked package looks like an installed one to the next
 * npm, and stays broken for ever. So whatever the last whole install did not record, in this version, goes first.
 */
function removeUnfinished(recorded, folder = 'node_modules') {
  rmSync(join(modules, '.package-lock.json'), { force: true }) // else npm believes it instead of looking
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`
    if (!entry.isDirectory() || entry.name === '.bin' || entry.name.startsWith('.runyard')) continue
    if (entry.name.startsWith('@')) {
      removeUnfinished(recorded, path)
      continue
    }
    const version = readJson(join(root, path, 'package.json'))?.version
    if (version === undefined || recorded[path] !== version) rmSync(join(root, path), { recursive: true, force: true })
    else if (existsSync(join(root, path, 'node_modules'))) removeUnfinished(recorded, `${path}/node_modules`)
  }
}

const fits = (list, own) => list === undefined || [list].flat().includes(own)

/** npm passes over an optional package that it could not fetch without a word; then the next command tries again. */
function missingPackages() {
  const { packages = {} } = readJson(join(root, 'package-lock.json')) ?? {}
  return manifests()
    .flatMap((file) => Object.keys(readJson(join(root, file))?.optionalDependencies ?? {}))
    .filter((name) => {
      const entry = packages[`node_modules/${name}`]
      return (
        entry && fits(entry.os, process.platform) && fits(entry.cpu, process.arch) && !existsSync(join(modules, name))
      )
    })
}

/** undefined when the file is missing or was cut off. */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error instanceof SyntaxError) return undefined
    throw error
  }
}
