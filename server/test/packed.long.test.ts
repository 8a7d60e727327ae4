// The npm package `runyard` as somebody uses it who has no checkout: packed, installed into an empty folder, and started there.
import assert from 'node:assert/strict'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, extname, join, sep } from 'node:path'
import { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runyardVersion } from '../src/base/version.ts'
import { copyPreparedDataDir } from './kit/preparedDataDir.ts'
import { proves } from './kit/proves.ts'
import { send } from './survival/processes.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
/**
 * npm itself installs it, with all packages from the registry, and the database is new. That takes a minute, so only `npm run survive` does
 * it. Otherwise the packages of the repository are linked, and the database is a copy.
 */
const isInstalledByNpm = process.env['RUNYARD_LONG_TESTS'] === '1'

let folder: string
let packed: string
let program: string
let env: NodeJS.ProcessEnv

before(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'runyard packed ')))
  await chmod(folder, 0o755) // as root, PostgreSQL runs as somebody else, who must be able to enter
  const { PATH, HOME } = process.env
  const quick = { PORT: '0', LOG_LEVEL: 'warn', RUNYARD_DEMO: '0', RUNYARD_READINESS_INTERVAL_MS: '0' }
  env = { PATH, HOME, XDG_CACHE_HOME: join(folder, 'cache'), ...quick }
  const { stdout } = await run(process.execPath, [join(root, 'scripts/pack.mjs'), join(folder, 'made')], { env })
  await install(stdout.trim().split('\n').at(-1) ?? '')
  packed = join(folder, 'node_modules', 'runyard')
  program = join(folder, 'node_modules', '.bin', 'runyard')
})

after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

/** What this machine needs to reach its registry, without what the npm and the Node around this test were given. */
const npmEnv = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|RUNYARD_|NODE_(TEST|PRESERVE|COMPILE|OPTIONS))/.test(name)),
  )

async function install(archive: string): Promise<void> {
  if (isInstalledByNpm) {
    await writeFile(join(folder, 'package.json'), '{"private": true}')
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', archive], {
      cwd: folder,
      env: npmEnv(),
    })
    return
  }
  await copyPreparedDataDir(join(folder, '.runyard'))
  const modules = join(folder, 'node_modules')
  await mkdir(join(modules, '.bin'), { recursive: true })
  for (const name of await readdir(join(root, 'node_modules')))
    if (!name.startsWith('.') && !name.includes('runyard'))
      await symlink(join(root, 'node_modules', name), join(modules, name))
  await mkdir(join(modules, 'runyard'))
  await run('tar', ['-xzf', archive, '-C', join(modules, 'runyard'), '--strip-components=1'])
  const { bin } = await manifest()
  await chmod(join(modules, 'runyard', bin.runyard), 0o755)
  await symlink(join('..', 'runyard', bin.runyard), join(modules, '.bin', 'runyard'))
}

interface Manifest {
  version: string
  bin: { runyard: string }
  dependencies: Record<string, string>
  optionalDependencies: Record<string, string>
}

const manifest = async () =>
  JSON.parse(await readFile(join(folder, 'node_modules', 'runyard', 'package.json'), 'utf8')) as Manifest

async function packedFiles(): Promise<string[]> {
  const entries = await readdir(packed, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

proves(
  'packed.files',
  'the package has programs, migrations and templates, and nothing that only the repository needs',
  async () => {
    const files = (await packedFiles()).map((file) => file.slice(packed.length + 1).replaceAll(sep, '/'))
    const endings = new Set(files.map((file) => extname(file)))
    const ofConsole = ['.br', '.css', '.gz', '.html', '.svg', '.txt']
    assert.deepEqual([...endings].toSorted(), ['', ...ofConsole, '.js', '.json', '.md', '.mjs', '.sql'].toSorted())
    assert.deepEqual(
      files.filter((file) => /\.test\.|(^|\/)test\/|node_modules|\.runyard/.test(file)),
      [],
    )
    const migrations = await readdir(join(root, 'server/migrations'))
    for (const name of migrations) assert.ok(files.includes(`lib/server/migrations/${name}`), name)
    const templates = await readdir(join(root, 'server/src/features/artifacts/templates'))
    for (const name of templates.filter((one) => one.endsWith('.md')))
      assert.ok(files.includes(`lib/server/src/features/artifacts/templates/${name}`), name)
    for (const name of ['LICENSE', 'README.md', 'lib/server/src/main.mjs', 'lib/cli/src/main.mjs'])
      assert.ok(files.includes(name), name)
    const console = files.filter((file) => file.startsWith('lib/console/'))
    assert.ok(console.some((file) => file.endsWith('/licenses.txt')))
    assert.deepEqual(
      console.filter(
        (file) => !/^lib\/console\/dist\/(build\.json|[\w-]+\/)/.test(file) || /\.[jt]sx?\.map$|\.tsx?$/.test(file),
      ),
      [],
    )
  },
)

proves('packed.files', 'no file of it has a path of this machine or a secret, and every version is exact', async () => {
  for (const file of await packedFiles()) {
    const text = await readFile(file, 'utf8')
    assert.ok(!text.includes(root) && !text.includes(folder), file)
    assert.doesNotMatch(text, /\bry_[0-9a-f]{12}_\w{20,}|PRIVATE KEY-----\n\w/, file)
  }
  const { version, dependencies, optionalDependencies, ...rest } = await manifest()
  assert.equal(version, runyardVersion)
  for (const part of ['.', 'server', 'sdk', 'cli', 'console']) {
    const { version: own } = JSON.parse(await readFile(join(root, part, 'package.json'), 'utf8')) as Manifest
    assert.equal(own, version, part)
  }
  for (const [name, wanted] of Object.entries({ ...dependencies, ...optionalDependencies }))
    assert.match(wanted, /^\d+\.\d+\.\d+(-[\w.]+)?$/, name)
  assert.ok(Object.keys(optionalDependencies).some((name) => name.startsWith('node-')))
  assert.deepEqual(
    Object.keys(dependencies).filter((name) => /^(react|vite)/.test(name)),
    [],
  )
  assert.ok(!('scripts' in rest))
})

const text = (child: ChildProcess): { said: string } => {
  const heard = { said: '' }
  child.stdout?.setEncoding('utf8').on('data', (part: string) => (heard.said += part))
  return heard
}

/** Starts it without a word, as `npx runyard` does, and waits for the box. */
async function startInEmptyFolder(): Promise<{ child: ChildProcess; baseUrl: string; key: string; log: () => string }> {
  const child = spawn(program, [], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  after(() => child.kill('SIGKILL'))
  const out = text(child)
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (part: string) => (log += part))
  const ended = once(child, 'exit').then(([code]) => assert.fail(`it ended with ${code}: ${log}`))
  while (!out.said.includes('└')) await Promise.race([once(child.stdout, 'data'), ended])
  const baseUrl = /Base URL +(\S+)/.exec(out.said)?.[1] ?? ''
  const key = (await readFile(join(folder, '.runyard', 'first-key'), 'utf8')).trim()
  ended.catch(() => undefined)
  return { child, baseUrl, key, log: () => log }
}

proves(
  'packed.runs',
  '`runyard` starts the service in the current folder, where the console, requests, commands of sandboxes and doctor work',
  async () => {
    const { child, baseUrl, key, log } = await startInEmptyFolder()
    const page = await fetch(baseUrl)
    assert.equal(page.status, 200)
    const [, script = ''] = /<script type="module"[^>]* src="(\/assets\/[^"]+)"/.exec(await page.text()) ?? []
    const loaded = await fetch(`${baseUrl}${script}`, { headers: { 'accept-encoding': 'br' } })
    assert.deepEqual([loaded.status, loaded.headers.get('content-encoding')], [200, 'br'])
    const made = await send(baseUrl, { method: 'POST', path: '/v2/sandboxes', key, body: {} })
    assert.equal(made.status, 201, made.text)
    const { sandbox_id } = JSON.parse(made.text) as { sandbox_id: string }
    const path = `/v2/sandboxes/${sandbox_id}/exec`
    const executed = await send(baseUrl, { method: 'POST', path, key, body: { command: 'echo $((6 * 7))' } })
    assert.equal((JSON.parse(executed.text) as { stdout?: string }).stdout, '42\n', `${executed.text} ${log()}`)

    const below = join(folder, 'some', 'where')
    await mkdir(below, { recursive: true })
    const doctor = await run(program, ['doctor'], { cwd: below, env })
    assert.ok(doctor.stdout.includes(`${join(folder, '.runyard')}, mode`), 'the data dir of the nearest folder above')
    assert.match(doctor.stdout, /^ok +migrations +up to date/m)
    assert.deepEqual(await readdir(below), [])

    child.kill('SIGTERM')
    const [code] = (await once(child, 'exit')) as [number | null]
    assert.equal(code, 0, log())
  },
)

proves('packed.runs', 'a command that needs no service makes no data dir', async () => {
  const empty = join(dirname(packed), 'empty')
  await mkdir(empty)
  const { stdout } = await run(program, ['--version'], { cwd: empty, env: { ...env, RUNYARD_DATA_DIR: './own' } })
  assert.equal(stdout, `${runyardVersion}\n`)
  assert.deepEqual(await readdir(empty), [])
})
