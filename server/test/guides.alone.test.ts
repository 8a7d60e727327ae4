// What is written for users is true: procedures of the guides can be saved, paths are served, the changelog is this version's.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { access, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runyardVersion } from '../src/base/version.ts'
import { blockKinds } from '../src/drivers/model/runbook/block.ts'
import { readFences } from '../src/drivers/model/runbook/fences.ts'
import { parseRunbook } from '../src/drivers/model/runbook/parse.ts'
import { features } from '../src/features.ts'
import { proves } from './kit/proves.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const guides = join(root, 'docs/guides')
const noBash = spawnSync('bash', ['--version']).error === undefined ? false : 'bash is not installed'

proves(
  'guides.runbooks',
  'every procedure in the guide to runbooks is one, and together they show every block',
  async () => {
    const guide = await readFile(join(guides, 'runbooks.md'), 'utf8')
    const examples = readFences(guide).fences.filter(({ info }) => info === 'markdown')
    const shown = new Set<string>()
    for (const { body, line } of examples) {
      const { blocks, problems } = parseRunbook(body)
      assert.deepEqual(problems, [], `the example in line ${line}`)
      for (const { kind } of blocks) shown.add(kind)
    }
    assert.deepEqual([...shown].toSorted(), [...blockKinds].toSorted())
  },
)

proves('guides.paths', 'every path of the API in the pages for users is served', async () => {
  const examples = (await readdir(join(root, 'examples'), { recursive: true })).filter((file) => file.endsWith('.md'))
  const files = [
    join(root, 'README.md'),
    join(root, 'docs/tutorial.md'),
    ...(await readdir(guides)).map((file) => join(guides, file)),
    ...examples.map((file) => join(root, 'examples', file)),
  ]
  const operations = features.flatMap((feature) => feature.operations)
  const served = new Set(operations.map(({ path }) => path.replaceAll(/:\w+\*?/g, '*')))
  let named = 0
  for (const file of files) {
    const text = await readFile(file, 'utf8')
    for (const [, path] of text.matchAll(/(\/v2\/[\w/${}-]*[\w}])/g)) {
      named += 1
      const shape = path!.replaceAll(/\{\w+\}|\$\w+/g, '*')
      assert.ok(served.has(shape), `${path} in ${file.slice(root.length)}`)
    }
  }
  assert.ok(named > 50, `${named} paths`)
})

proves('guides.version', 'the newest part of the changelog is about this version', async () => {
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8')
  assert.equal(/^## ([\d.]+):/m.exec(changelog)?.[1], runyardVersion)
})

proves('decisions.headings', 'every decision has the same headings, in the same order', async () => {
  const folder = join(root, 'docs/decisions')
  const files = await readdir(folder)
  assert.ok(files.length > 30)
  assert.equal(new Set(files.map((file) => file.slice(0, 4))).size, files.length, 'each has a number of its own')
  for (const file of files) {
    const text = await readFile(join(folder, file), 'utf8')
    assert.ok(text.startsWith(`# ${file.slice(0, 4)}: `), file)
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading ?? '')
    const known = ['Question', 'Decision', 'Alternatives', 'Consequences']
    assert.deepEqual(headings.slice(0, 2), ['Question', 'Decision'], file)
    assert.deepEqual(
      headings,
      known.filter((heading) => headings.includes(heading)),
      file,
    )
  }
})

proves('guides.shell', 'every shell command in the pages for users can be parsed', { skip: noBash }, async () => {
  const pages = ['README.md', 'docs/tutorial.md', ...(await readdir(guides)).map((file) => `docs/guides/${file}`)]
  const commands = await Promise.all(
    pages.map(async (page) =>
      readFences(await readFile(join(root, page), 'utf8')).fences.filter(({ info }) => info === 'sh'),
    ),
  )
  const all = commands.flat().map(({ body }) => body)
  assert.ok(all.length > 40)
  const { status, stderr } = spawnSync('bash', ['-n'], { input: all.join('\n'), encoding: 'utf8' })
  assert.equal(status, 0, stderr)
})

const below = async (folder: string): Promise<string[]> =>
  (await readdir(join(root, folder), { recursive: true })).map((file) => join(folder, file))

/** The anchor that Markdown gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')

proves('guides.links', 'every link in the documents leads to a file and a heading that exist', async () => {
  const pages = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    ...(await below('docs')),
    ...(await below('deploy')),
    ...(await below('examples')),
  ]
  const broken: string[] = []
  let links = 0
  for (const page of pages.filter((file) => file.endsWith('.md'))) {
    const text = await readFile(join(root, page), 'utf8')
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      links += 1
      const [file = '', anchor] = target.split('#')
      const path = file === '' ? join(root, page) : join(root, dirname(page), file)
      const isThere = await access(path).then(
        () => true,
        () => false,
      )
      const headings =
        isThere && anchor !== undefined ? [...(await readFile(path, 'utf8')).matchAll(/^#+ (.*)$/gm)] : []
      const isKnown = anchor === undefined || headings.some(([, heading]) => anchorOf(heading ?? '') === anchor)
      if (!isThere || !isKnown) broken.push(`${page}: ${target}`)
    }
  }
  assert.ok(links > 60)
  assert.deepEqual(broken, [])
})
