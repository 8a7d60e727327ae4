// When the console is built: by changed sources, once for all who ask, and never half. Each test has a small checkout of its own.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { proves } from '../../server/test/kit/proves.ts'
import { needsBundler } from '../../server/test/kit/needsBundler.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

interface Checkout {
  folder: string
  dist: string
  build: () => Promise<Built>
}

interface Built {
  code: number
  said: string
}

/** The scripts and settings of this repository, with a console that loads React and one screen later. */
async function smallCheckout({ hasPackages = true } = {}): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard checkout '))
  after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  for (const part of ['scripts', 'package.json', 'package-lock.json', 'console/index.html', 'console/package.json'])
    await cp(join(root, part), join(folder, part), { recursive: true })
  for (const part of ['console/public', 'console/vite.config.ts'])
    await cp(join(root, part), join(folder, part), { recursive: true })
  await mkdir(join(folder, 'sdk/src'), { recursive: true })
  await mkdir(join(folder, 'console/src'))
  await writeFile(join(folder, 'console/src/later.ts'), `export const later = '${'later '.repeat(400)}'\n`)
  await writeFile(
    join(folder, 'console/src/main.tsx'),
    `import { version } from 'react'\nvoid import('./later.ts').then(({ later }) => console.log(version, later))\n`,
  )
  const modules = join(folder, 'node_modules')
  await mkdir(modules)
  for (const name of hasPackages ? await readdir(join(root, 'node_modules')) : [])
    if (!name.startsWith('.')) await symlink(join(root, 'node_modules', name), join(modules, name))
  return { folder, dist: join(folder, 'console/dist'), build: () => runBuild(folder).ended }
}

function runBuild(folder: string) {
  const child = spawn(process.execPath, [join(folder, 'scripts/buildConsole.mjs')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = once(child, 'close').then(([code]): Built => ({ code: code as number, said }))
  return { child, ended }
}

const buildOf = async ({ dist }: Checkout): Promise<string> =>
  (JSON.parse(await readFile(join(dist, 'build.json'), 'utf8')) as { folder: string }).folder

proves('console.build', 'those who start at the same time wait for one build', needsBundler, async () => {
  const checkout = await smallCheckout()
  const built = await Promise.all([checkout.build(), checkout.build(), checkout.build()])
  assert.deepEqual(
    built.map(({ code }) => code),
    [0, 0, 0],
    built.map(({ said }) => said).join('\n'),
  )
  assert.equal(built.filter(({ said }) => said.includes('Building the console')).length, 1)
  assert.deepEqual((await readdir(checkout.dist)).toSorted(), [await buildOf(checkout), 'build.json'].toSorted())
  assert.deepEqual(await checkout.build(), { code: 0, said: '' })
})

proves(
  'console.build',
  'changed sources are built, and the build before stays until the next one',
  needsBundler,
  async () => {
    const checkout = await smallCheckout()
    const builds: string[] = []
    for (const text of ['one', 'two', 'three']) {
      await writeFile(join(checkout.folder, 'sdk/src/changed.ts'), `export const text = '${text}'\n`)
      assert.equal((await checkout.build()).code, 0)
      builds.push(await buildOf(checkout))
    }
    assert.equal(new Set(builds).size, 3)
    assert.deepEqual((await readdir(checkout.dist)).toSorted(), [...builds.slice(1), 'build.json'].toSorted())
    // a test is not a part of the console
    await writeFile(join(checkout.folder, 'console/src/some.test.ts'), '')
    assert.deepEqual(await checkout.build(), { code: 0, said: '' })
  },
)

proves(
  'console.build',
  'a build that was killed does not count, and leaves nothing to the next one',
  needsBundler,
  async () => {
    const checkout = await smallCheckout()
    const hold = join(checkout.folder, 'hold')
    await writeFile(hold, '')
    const config = await readFile(join(checkout.folder, 'console/vite.config.ts'), 'utf8')
    await writeFile(
      join(checkout.folder, 'console/vite.config.ts'),
      `import { existsSync } from 'node:fs'
    if (existsSync(${JSON.stringify(hold)})) {
      console.error('it waits')
      await new Promise((done) => setTimeout(done, 600_000))
    }
    ${config}`,
    )
    const { child, ended } = runBuild(checkout.folder)
    for await (const text of child.stderr) if (String(text).includes('it waits')) break
    const [half = ''] = await readdir(checkout.dist)
    await writeFile(join(checkout.dist, half, 'index.html'), '')
    // with what it has started
    process.kill(-child.pid!, 'SIGKILL')
    await ended
    assert.deepEqual(await readdir(checkout.dist), [half])
    await rm(hold)
    const { code, said } = await checkout.build()
    assert.equal(code, 0, said)
    assert.notEqual(await buildOf(checkout), half)
    assert.deepEqual((await readdir(checkout.dist)).toSorted(), [await buildOf(checkout), 'build.json'].toSorted())
  },
)

proves('console.build', 'a build with a file that is missing or cut off is made again', needsBundler, async () => {
  const checkout = await smallCheckout()
  assert.equal((await checkout.build()).code, 0)
  for (const harm of [(file: string) => rm(file), (file: string) => truncate(file)]) {
    const before = await buildOf(checkout)
    const assets = join(checkout.dist, before, 'assets')
    const name = (await readdir(assets)).find((one) => one.endsWith('.br'))
    await harm(join(assets, name ?? ''))
    const { code, said } = await checkout.build()
    assert.deepEqual([code, said], [0, 'Building the console, a few seconds…\n'])
    assert.notEqual(await buildOf(checkout), before)
  }
})

proves(
  'console.build',
  'sources that cannot be built are reported, and the build before still counts',
  needsBundler,
  async () => {
    const checkout = await smallCheckout()
    assert.equal((await checkout.build()).code, 0)
    const before = await buildOf(checkout)
    await writeFile(join(checkout.folder, 'console/src/later.ts'), 'export const later = (')
    const { code, said } = await checkout.build()
    assert.equal(code, 1)
    assert.match(said, /later\.ts[^]*could not be built \(exit 1\)[^]*as it was built before/)
    assert.equal(await buildOf(checkout), before)
    assert.deepEqual((await readdir(checkout.dist)).toSorted(), [before, 'build.json'].toSorted())
  },
)

proves('console.notBuilt', 'where the bundler does not run, a build says so and how to get the console', async () => {
  const checkout = await smallCheckout({ hasPackages: false })
  const { code, said } = await checkout.build()
  assert.equal(code, 3)
  assert.match(said, /its bundler does not run on \w+ \w+\. The npm package has it: npx runyard/)
  assert.match(said, /The service works without it/)
})

proves(
  'console.assets',
  'a build has compressed files, the licences of what is inside, and no path of a machine',
  needsBundler,
  async () => {
    const checkout = await smallCheckout()
    assert.equal((await checkout.build()).code, 0)
    const build = join(checkout.dist, await buildOf(checkout))
    const files = await readdir(build, { recursive: true })
    const scripts = files.filter((file) => /^assets\/.*-[\w-]{8}\.js$/.test(file.replaceAll('\\', '/')))
    assert.ok(scripts.length >= 2, files.join(' '))
    for (const script of scripts)
      for (const ending of ['.br', '.gz']) assert.ok(files.includes(`${script}${ending}`), script)
    const licenses = await readFile(join(build, 'licenses.txt'), 'utf8')
    assert.match(licenses, /^react \d+\.\d+\.\d+\nMIT\n[^]*Copyright \(c\) Meta Platforms/m)
    for (const file of scripts.concat('index.html', 'licenses.txt')) {
      const text = await readFile(join(build, file), 'utf8')
      assert.ok(!text.includes(checkout.folder) && !text.includes(root), file)
    }
  },
)
