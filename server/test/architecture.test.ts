// The shape of the code, held by a test: imports run one way, a table has one writer, generated files are fresh.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { features } from '../src/features.ts'
import { generatedFiles } from './writeGenerated.ts'
import { proves } from './kit/proves.ts'

const root = fileURLToPath(new URL('../src/', import.meta.url))
const migrations = fileURLToPath(new URL('../migrations/', import.meta.url))

/** Right may import left, never back. */
const layers = ['base', 'drivers', 'kit', 'engine', 'features', 'app']

interface Source {
  path: string
  text: string
}

async function sourcesIn(folder: string): Promise<Source[]> {
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.m?ts$|\.mjs$/.test(file))
  return Promise.all(files.map(async (path) => ({ path, text: await readFile(join(folder, path), 'utf8') })))
}

const isTest = ({ path }: Source): boolean => path.endsWith('.test.ts')
const all = (await sourcesIn(root)).filter(({ path }) => path.endsWith('.ts'))
const code = all.filter((source) => !isTest(source))

function layerOf(path: string): string {
  const first = path.split('/')[0]!
  return layers.includes(first) ? first : 'app'
}

/** The files of src that a file imports, also as types only and also when it first needs them. */
function importsOf({ path, text }: Source): string[] {
  return [...text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)]
    .map(([, target]) => relative(root, resolve(root, dirname(path), target!)))
    .filter((imported) => !imported.startsWith('..'))
}

proves('architecture.imports', 'imports run one way, and features never import features', () => {
  const wrong: string[] = []
  let found = 0
  for (const source of code) {
    const { path } = source
    for (const imported of importsOf(source)) {
      found += 1
      const from = layerOf(path)
      const to = layerOf(imported)
      if (layers.indexOf(to) > layers.indexOf(from)) wrong.push(`${path} imports ${imported}`)
      if (from === 'features' && to === 'features' && path.split('/')[1] !== imported.split('/')[1]) {
        wrong.push(`${path} imports another feature: ${imported}`)
      }
    }
  }
  assert.ok(found > 1000)
  assert.deepEqual(wrong, [])
})

proves('architecture.circles', 'no files import each other in a circle', () => {
  const left = new Map(code.map((source) => [source.path, importsOf(source)]))
  // takes away what imports nothing that is left, until only circles and what stands on them remain
  for (let count = Infinity; left.size < count;) {
    count = left.size
    for (const [path, imports] of left) if (!imports.some((one) => left.has(one))) left.delete(path)
  }
  assert.deepEqual([...left.keys()], [])
})

/** The names that a file imports, re-exports or extends, each as `file#name`; a file that is loaded later gives all its names, as `file#*`. */
function namesUsedBy(folder: string, { path, text }: Source): string[] {
  const fileOf = (target: string): string => relative(root, resolve(folder, dirname(path), target))
  const listed = [...text.matchAll(/^(?:import|export) (?:type )?(?:\w+, )?\{([^}]*)\} from '(\.[^']+)'/gm)].flatMap(
    ([, names = '', target = '']) =>
      names.split(',').map((name) => `${fileOf(target)}#${/^(?:type )?(\w+)/.exec(name.trim())?.[1]}`),
  )
  const whole = [...text.matchAll(/(?:import\(|(?:import|export) \*(?: as \w+)? from )['"`](\.[^'"`]+)/g)]
  const extended = [...text.matchAll(/^declare module '(\.[^']+)' \{\n {2}interface (\w+)/gm)].map(
    ([, target = '', name]) => `${fileOf(target)}#${name}`,
  )
  return [...listed, ...extended, ...whole.map(([, target = '']) => `${fileOf(target)}#*`)]
}

proves('architecture.exports', 'every export is used by another file', async () => {
  const used = new Set(all.flatMap((source) => namesUsedBy(root, source)))
  for (const folder of [
    '../test/',
    '../../bench/',
    '../../scripts/',
    '../../sdk/',
    '../../cli/',
    '../../console/test/',
  ]) {
    const path = join(root, folder)
    for (const source of await sourcesIn(path)) for (const name of namesUsedBy(path, source)) used.add(name)
  }
  const unused = code.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?(?:function\*?|const|interface|type|class) (\w+)/gm)]
      .filter(([, name]) => !used.has(`${path}#${name}`) && !used.has(`${path}#*`))
      .map(([, name]) => `${path}: ${name}`),
  )
  assert.ok(used.size > 1000)
  assert.deepEqual(unused, [])
})

/** How many lines a function may have: a reader sees it whole after scrolling once. */
const functionLinesMax = 80

proves('architecture.functions', 'no function of a file is longer than 80 lines', () => {
  const functions = code.flatMap(({ path, text }) =>
    [...text.matchAll(/^(?:export )?(?:async )?function\*? ?(\w+)[\s\S]*?^\}/gm)].map(([whole, name]) => {
      return { name: `${path}: ${name}`, lines: whole.split('\n').length }
    }),
  )
  assert.ok(functions.length > 1000)
  assert.deepEqual(
    functions.filter(({ lines }) => lines > functionLinesMax),
    [],
  )
})

/** A table that is written, by a statement or by the mechanism that erases what is old. */
const written = /\b(?:insert into|update|delete from|eraseOld\(call, \{ table:)\s+'?(\w+)\b/g

proves('architecture.writers', 'each table is written by the one folder that its migration names', async () => {
  const owners = new Map<string, string>()
  for (const file of await readdir(migrations)) {
    const text = await readFile(join(migrations, file), 'utf8')
    const owner = /^-- owner: ([\w/]+?)\/?\. /.exec(text)?.[1]
    assert.ok(owner, `the first line of ${file} names its owner folder`)
    for (const [, table] of text.matchAll(/create (?:unlogged )?table (\w+)/g)) owners.set(table!, owner)
  }
  const wrong: string[] = []
  for (const { path, text } of code) {
    for (const [, table] of text.matchAll(written)) {
      const owner = owners.get(table!)
      if (owner && !path.startsWith(`${owner}/`)) wrong.push(`${path} writes ${table}, which belongs to ${owner}`)
    }
  }
  assert.ok(owners.size >= 10)
  assert.deepEqual(wrong, [])
})

proves('postgres.settings', 'every connection to PostgreSQL is a session that makes our settings', () => {
  const wrong: string[] = []
  for (const { path, text } of code) {
    if (path === 'base/session.ts') continue
    // a pool makes plain clients of its own, unless it is given a class
    if (/new (pg\.)?Client\(/.test(text) && /from 'pg'/.test(text)) wrong.push(`${path} opens a plain client`)
    for (const [pool] of text.matchAll(/new Pool\(\{[^}]*/g)) {
      if (/from 'pg'/.test(text) && !/Client: \w+Client/.test(pool)) wrong.push(`${path} opens a pool of plain clients`)
    }
    if (/connectionString: (?!address)/.test(text)) wrong.push(`${path} hands an address to somebody else`)
  }
  assert.deepEqual(wrong, [])
})

proves(
  'dependencies.quiet',
  'the lock file does not bring the package by which others count installations',
  async () => {
    // spectral depends on it and never loads it: npm does not install it as long as the lock file does not list it
    const lock = await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8')
    assert.doesNotMatch(lock, /@scarf\/scarf/)
  },
)

proves('architecture.names', 'an operation stands in a file of its own name', () => {
  for (const { name, operations } of features) {
    for (const { id } of operations) {
      const file = code.find(({ path }) => path.startsWith(`features/${name}/`) && path.endsWith(`/${id}.ts`))
      assert.ok(file, `${id}.ts in features/${name}/`)
      assert.ok(file.text.includes(`export const ${id} = `), id)
    }
  }
})

proves('architecture.firstLine', 'every file says in its first line what it is', () => {
  const silent = all.filter(({ text }) => !/^\/\/ .{10,}/.test(text)).map(({ path }) => path)
  assert.deepEqual(silent, [])
})

proves('architecture.generated', 'openapi.json and the generated pages are fresh', async () => {
  for (const { path, text } of generatedFiles) {
    const committed = await readFile(path, 'utf8')
    assert.ok(committed === text, `${path} is stale: run npm run openapi`)
  }
})

/** What a neighbour would feel: the process itself, what is replaced in it, other processes that take its time. */
const feltByNeighbours =
  /\bprocess\.(?!pid\b|platform\b|close\b|listen\b)|\bmonitorEventLoopDelay\(|\bmock\.|\bregisterHooks\(|\b(spawn|fork|execFile)(Sync)?\(/

proves('architecture.alone', 'a test file whose neighbours would feel it is named .alone.test.ts', async () => {
  const outside = await sourcesIn(join(root, '../test'))
  const tests = [...all, ...outside.filter(({ path }) => !path.startsWith('survival/'))].filter(isTest)
  const wrong = tests.flatMap(({ path, text }) => {
    const [found] = feltByNeighbours.exec(text) ?? []
    if (found === undefined || /\.(?:alone|long)\.test\.ts$/.test(path)) return []
    return [`${path} has "${found}": rename it to ${path.replace(/\.test\.ts$/, '.alone.test.ts')}`]
  })
  assert.ok(tests.length > 200)
  assert.deepEqual(wrong, [])
})

/** From the bottom up: a room may import those before it. */
const engineRooms = [
  'builds',
  'ledger',
  'admission',
  'counting',
  'guardrails',
  'requests',
  'starting',
  'driving',
  'ending',
  '',
  'tools',
]

const roomOf = (path: string): number => engineRooms.indexOf(path.split('/').slice(1, -1).join('/'))

proves(
  'architecture.waiting',
  'a file that tests of one process share waits for nothing while it is loaded',
  async () => {
    // two files that wait for it at once would both continue in the suite of the one that came first, and lose their tests there
    const kit = await sourcesIn(fileURLToPath(new URL('.', import.meta.url)))
    const shared = [...code, ...kit.filter((source) => /^(kit|fakes)\//.test(source.path))]
    assert.ok(shared.length > 100)
    const waiting = shared.filter(({ text }) => /^(export )?(const|let) [^\n]*= await |^await /m.test(text))
    assert.deepEqual(
      waiting.map(({ path }) => path),
      // the first is a thread of its own; of the tests that share a process, one file loads the second
      ['base/page/xlsxThread.ts', 'kit/backupDatabases.ts'],
    )
    const loading = [...all, ...kit].filter(
      (source) =>
        isTest(source) && !source.path.endsWith('.alone.test.ts') && source.text.includes('/kit/backupDatabases.ts'),
    )
    assert.deepEqual(
      loading.map(({ path }) => path).filter((path) => path !== 'architecture.test.ts'),
      ['kit/eventBatches.test.ts'],
    )
  },
)

proves('architecture.rooms', 'each room of the engine imports only the rooms below it', () => {
  const wrong: string[] = []
  const engine = code.filter(({ path }) => path.startsWith('engine/'))
  assert.ok(engine.length > 50)
  for (const source of engine) {
    assert.ok(roomOf(source.path) >= 0, `${source.path} stands in a room of the list`)
    for (const imported of importsOf(source).filter((one) => one.startsWith('engine/'))) {
      if (roomOf(imported) > roomOf(source.path)) wrong.push(`${source.path} imports ${imported}`)
    }
  }
  assert.deepEqual(wrong, [])
})

proves('architecture.rooms', 'each room of the engine and each driver says in half a page what it is for', async () => {
  const rooms = await Promise.all(
    ['engine', 'drivers'].map(async (folder) => {
      const entries = await readdir(join(root, folder), { withFileTypes: true })
      return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder}/${name}`)
    }),
  )
  assert.ok(rooms.flat().length > 10)
  for (const room of rooms.flat()) {
    const text = await readFile(join(root, room, 'README.md'), 'utf8')
    for (const part of ['**Who calls it.**', '**What it may not know.**'])
      assert.ok(text.includes(part), `${room}: ${part}`)
    assert.ok(text.split('\n').length <= 40, room)
  }
})

proves('architecture.named', 'every file that ARCHITECTURE.md or a decision names exists', async () => {
  const repository = join(root, '../..')
  const decisions = (await readdir(join(repository, 'docs/decisions'))).map((file) => `docs/decisions/${file}`)
  const tests = (await readdir(join(root, '../test'), { recursive: true })).map((file) => `test/${file}`)
  const benches = (await readdir(join(repository, 'bench'))).map((file) => `bench/${file}`)
  const paths = [...all.map(({ path }) => path), ...tests, ...benches]
  const isThere = (file: string): boolean => paths.some((path) => path === file || path.endsWith(`/${file}`))
  const missing: string[] = []
  let named = 0
  for (const document of ['ARCHITECTURE.md', ...decisions]) {
    const text = await readFile(join(repository, document), 'utf8')
    for (const [, file = ''] of text.matchAll(/`([\w/.]+\.ts)`/g)) {
      named += 1
      if (!isThere(file)) missing.push(`${document}: ${file}`)
    }
  }
  assert.ok(named > 50)
  assert.deepEqual(missing, [])
})
