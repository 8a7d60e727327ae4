// The packed SDK outside of the repository: it compiles for its users, and runs in every Node and in Chromium.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { chromium, type Page, type Request } from 'playwright-core'
import { signatureHeaders, signingKey } from '../../server/src/features/webhooks/signature.ts'
import { isLongForm } from '../../server/test/kit/longForm.ts'
import { startOtherBrowser } from '../../server/test/kit/otherBrowser.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { freePort, preparedDataDir, startService, type Service } from '../../server/test/survival/processes.ts'
import { version } from '../src/environment.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const modules = join(root, 'node_modules')
const sizeMaxKb = 25

const project = await mkdtemp(join(tmpdir(), 'runyard-packed-'))
after(() => rm(project, { recursive: true, force: true }))
const npm = (words: string[], cwd: string) =>
  run('npm', [...words, '--no-audit', '--no-fund', '--loglevel=error'], { cwd })
await npm(['pack', '--pack-destination', project], join(root, 'sdk'))
const tarball = `runyard-sdk-${version}.tgz`
await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }))
await npm(['install', '--offline', '--ignore-scripts', join(project, tarball)], project)
const installed = join(project, 'node_modules/@runyard/sdk')

proves(
  'sdk.packed',
  'the package has what it names, no dependency and no script that runs at installation',
  async () => {
    assert.deepEqual((await readdir(installed)).toSorted(), ['LICENSE', 'README.md', 'dist', 'package.json'])
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Record<string, object>
    assert.deepEqual(Object.keys(manifest['scripts'] ?? {}), ['prepack'])
    for (const kind of ['dependencies', 'optionalDependencies', 'peerDependencies'])
      assert.ok(!(kind in manifest), kind)
  },
)

proves('sdk.packed', 'all packages of the repository have one version', async () => {
  for (const folder of ['.', 'server', 'sdk', 'cli', 'bench', 'sdk/test/nodes']) {
    const manifest = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8')) as { version: string }
    assert.equal(manifest.version, version, folder)
  }
})

/** Where these files do not compile, by a compiler of this name, in strict mode and with all declarations checked: `file:line`. */
async function wrongLines(compiler: string, files: string[]): Promise<string[]> {
  for (const file of files) await copyFile(new URL(`packed/${file}`, import.meta.url), join(project, file))
  const options = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--noEmit']
  const target = ['--target', 'es2022', '--lib', 'es2022,dom', '--module', 'nodenext']
  const words = [join(modules, compiler, 'bin/tsc'), ...options, ...target, ...files]
  try {
    await run(process.execPath, words, { cwd: project })
    return []
  } catch (error) {
    const { stdout } = error as { stdout: string }
    const found = [...stdout.matchAll(/^(\S+)\((\d+),\d+\): error/gm)]
    assert.ok(found.length > 0 && found.every(([, where = '']) => files.includes(where)), stdout)
    return [...new Set(found.map(([, file, line]) => `${file}:${line}`))]
  }
}

for (const compiler of ['typescript', 'typescript5']) {
  proves('sdk.packed', `a strict program compiles, and wrong uses do not, by ${compiler}`, async () => {
    const lines = (await readFile(new URL('packed/wrong.ts', import.meta.url), 'utf8')).split('\n')
    const marked = lines.flatMap((line, index) => (line.endsWith('// wrong') ? [`wrong.ts:${index + 1}`] : []))
    // one run of the compiler, since the declarations that both files import take most of its time
    assert.deepEqual(await wrongLines(compiler, ['right.ts', 'wrong.ts']), marked)
  })
}

proves('sdk.packed', `the code for a browser has at most ${sizeMaxKb} KB after gzip`, async (t) => {
  const folder = join(project, 'bare')
  const compiler = join(modules, 'typescript/bin/tsc')
  const options = ['--outDir', folder, '--removeComments', '--declaration', 'false']
  await run(process.execPath, [compiler, '-p', join(root, 'sdk/tsconfig.json'), ...options])
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.js'))
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  const kb = gzipSync(texts.join('\n'), { level: 9 }).length / 1024
  t.diagnostic(`${kb.toFixed(1)} KB: all ${files.length} modules in one file, without comments, not minified, gzip`)
  assert.ok(kb <= sizeMaxKb)
})

/** Where npm put this version of Node; undefined where nobody installed it. */
function nodeOf(major: number): string | undefined {
  if (major === 24) return process.execPath
  const path = join(root, `sdk/test/nodes/node_modules/node${major}-${process.platform}-${process.arch}/bin/node`)
  return existsSync(path) ? path : undefined
}

describe('the packed SDK against a service', () => {
  let service: Service
  let stop: () => Promise<void>
  let origin: string
  let given: object
  const names = ['starts and waits', 'errors', 'lists and streams', 'webhooks', 'files']

  before(async () => {
    const dataDir = await preparedDataDir()
    const port = await freePort()
    origin = `http://127.0.0.1:${port}`
    // signed URLs lead to the origin of the page too
    service = await startService({ dataDir: dataDir.path, env: { PUBLIC_URL: origin } })
    const page = servePage(service, port)
    stop = async () => {
      page.close()
      page.closeAllConnections()
      await service.stop()
      await dataDir.remove()
    }
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
    const body = JSON.stringify({ id: '1', event: 'run.completed', created_at: new Date().toISOString(), data: {} })
    const keys = [signingKey(secret)]
    const signed = { id: '1', event: 'run.completed', body: Buffer.from(body), keys, at: new Date() }
    const delivery = { body, headers: signatureHeaders(signed), secret }
    given = { apiKey: service.key, baseUrl: origin, delivery }
    await mkdir(join(project, 'suite'))
    await copyFile(new URL('packed/suite.mjs', import.meta.url), join(project, 'suite/suite.mjs'))
    const program = `import * as sdk from '@runyard/sdk'
import { suite } from './suite.mjs'
console.log(JSON.stringify(await suite({ sdk, ...${JSON.stringify(given)} })))`
    await writeFile(join(project, 'suite/run.mjs'), program)
  })
  after(() => stop())

  for (const major of isLongForm ? [18, 20, 22, 24] : [18, 24]) {
    const node = nodeOf(major)
    const skip = node ? false : `no Node ${major}: npm install --no-package-lock --prefix sdk/test/nodes`
    proves('sdk.packed', `the suite runs in Node ${major}`, { skip }, async (t) => {
      assert.ok(node)
      const { stdout } = await run(node, [join(project, 'suite/run.mjs')], { cwd: project })
      t.diagnostic((await run(node, ['--version'])).stdout.trim())
      assert.deepEqual(JSON.parse(stdout), names)
    })
  }

  proves('sdk.packed', 'the suite runs in Chromium', async (t) => {
    const browser = await startOtherBrowser()
    const connected = await chromium.connectOverCDP(browser.url)
    try {
      const page = await connected.newPage()
      await page.goto(origin)
      const passed = await page.evaluate(`(async () => {
        const [sdk, { suite }] = await Promise.all([import('/sdk/index.js'), import('/suite.mjs')])
        return suite({ sdk, ...${JSON.stringify(given)} })
      })()`)
      t.diagnostic(connected.version())
      assert.deepEqual(passed, names)
    } finally {
      await connected.close()
      await browser.end()
    }
  })

  proves('sdk.session', 'in a page the SDK works with the cookie of a session and without a key', async () => {
    const browser = await startOtherBrowser()
    const connected = await chromium.connectOverCDP(browser.url)
    try {
      const page = await connected.newPage()
      await page.goto(origin)
      const seen = await askedBy(page, async () => {
        const made = await page.evaluate(`(async () => {
          const { Runyard, NotSignedInError } = await import('/sdk/index.js')
          const runyard = new Runyard({ baseUrl: '', headers: { 'x-runyard-client': 'test' } })
          const isRefused = await runyard.teams.list().then(() => false, (error) => error instanceof NotSignedInError)
          await runyard.request('POST', '/auth/sign-in', { body: { api_key: ${JSON.stringify(service.key)} } })
          const { agent_id } = await runyard.agents.create({ name: 'From a page' })
          const started = await runyard.runs.start({ agent_id })
          for await (const { event } of runyard.teams.events({ events: ['run.started'] })) if (event === 'start') break
          await runyard.agents.delete(agent_id)
          return { isRefused, baseUrl: runyard.baseUrl, team: await runyard.teamId(), source: started.run.source }
        })()`)
        assert.deepEqual(made, { isRefused: true, baseUrl: origin, team: service.teamId, source: 'console' })
      })
      assert.equal(seen.filter(({ path }) => path === '/v2/teams').length, 2, 'the team is learned once')
      assert.ok(seen.length >= 6)
      const signIn = seen.findIndex(({ path }) => path === '/auth/sign-in')
      for (const [n, { method, path, headers }] of seen.entries()) {
        assert.equal(headers['authorization'], undefined, path)
        if (method !== 'GET') assert.equal(headers['origin'], origin, path)
        if (n > signIn) assert.match(headers['cookie'] ?? '', /^runyard_session=ryc_/, path)
      }
    } finally {
      await connected.close()
      await browser.end()
    }
  })
})

interface Seen {
  method: string
  path: string
  headers: Record<string, string>
}

/** What the page asked of the service, with what the browser added. */
async function askedBy(page: Page, work: () => Promise<void>): Promise<Seen[]> {
  const requests: Request[] = []
  const note = (request: Request) => requests.push(request)
  page.on('request', note)
  await work()
  page.off('request', note)
  const seen = requests.filter((request) => /^\/(v2|auth)\//.test(new URL(request.url()).pathname))
  return Promise.all(
    seen.map(async (request) => ({
      method: request.method(),
      path: new URL(request.url()).pathname,
      headers: await request.allHeaders(),
    })),
  )
}

/** A page with the built SDK; everything else goes to the service, so that the page has one origin. */
function servePage({ baseUrl }: Service, port: number) {
  const types = { html: 'text/html', js: 'text/javascript', mjs: 'text/javascript' } as const
  const server = createServer((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming
    const [, path] = /^\/sdk\/([\w/.]+)$/.exec(url) ?? []
    const file = path
      ? join(installed, 'dist', path)
      : url === '/suite.mjs'
        ? join(project, 'suite/suite.mjs')
        : undefined
    if (url === '/') outgoing.writeHead(200, { 'content-type': types.html }).end('<!doctype html>')
    else if (file) {
      void readFile(file).then(
        (bytes) => outgoing.writeHead(200, { 'content-type': types.js }).end(bytes),
        () => outgoing.writeHead(404).end(),
      )
    } else {
      const upstream = httpRequest(`${baseUrl}${url}`, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      })
      upstream.on('error', () => outgoing.destroy())
      outgoing.on('close', () => upstream.destroy())
      incoming.pipe(upstream)
    }
  })
  return server.listen(port, '127.0.0.1')
}
