// npm start: the service runs from few large files that are built from its sources.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { needsBundler } from './kit/needsBundler.ts'
import { proves } from './kit/proves.ts'
import { preparedDataDir, send, startService } from './survival/processes.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const start = join(root, 'scripts/start.mjs')

/** The words by which the only child of a process was started. */
async function childWords(pid: number): Promise<string[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return (await readFile(`/proc/${children.trim().split(' ')[0]}/cmdline`, 'utf8')).split('\0')
}

const skip = needsBundler.skip || (existsSync('/proc/self/task') ? false : 'there is no /proc here')

proves('start.built', 'npm start runs the build that build.json names, and it answers', { skip }, async () => {
  const dataDir = await preparedDataDir()
  const service = await startService({ dataDir: dataDir.path, entry: start })
  try {
    const { folder } = JSON.parse(await readFile(join(root, 'server/dist/build.json'), 'utf8')) as { folder: string }
    const words = await childWords(service.pid)
    assert.ok(words.includes(join(root, 'server/dist', folder, 'server/src/main.mjs')), words.join(' '))
    assert.equal((await send(service.baseUrl, { path: '/v2/teams', key: service.key })).status, 200)
  } finally {
    assert.equal(await service.stop('SIGINT'), 0)
    await dataDir.remove()
  }
})

proves(
  'start.built',
  'the three builds before stay for those that run from them, and one that was cut off does not',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'runyard-built-'))
    const dist = join(folder, 'dist')
    const source = join(folder, 'source')
    const program = join(folder, 'program.mjs')
    // stands for the bundler: what it makes is one empty list of files
    await writeFile(
      program,
      "import { writeFileSync } from 'node:fs'\nwriteFileSync(`${process.argv[2]}/files.json`, '[]')\n",
    )
    const asked = { dist, sources: [relative(root, source)], program, name: 'a test', says: 'Building…', kept: 3 }
    const build = async (text: string) => {
      await writeFile(source, text)
      const code = `import { ensureBuilt } from './scripts/ensureBuilt.mjs'\nprocess.exitCode = await ensureBuilt(${JSON.stringify(asked)})`
      await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd: root })
      return (JSON.parse(await readFile(join(dist, 'build.json'), 'utf8')) as { folder: string }).folder
    }
    const first = await build('1')
    assert.equal(await build('1'), first)
    await mkdir(join(dist, 'cut off'))
    const others = []
    for (const text of ['2', '3', '4', '5']) others.push(await build(text))
    assert.deepEqual((await readdir(dist)).toSorted(), [...others, 'build.json'].toSorted())
    await rm(folder, { recursive: true })
  },
)
