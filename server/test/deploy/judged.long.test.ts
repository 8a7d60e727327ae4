// Tools that are too large for everybody judge the files of deploy/: Go renders the chart, models of the Kubernetes API check the manifests, a validator reads the Dockerfile.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import { pathToFileURL } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { mustHave } from '../../src/base/mustHave.ts'
import { proves } from '../kit/proves.ts'
import { chartHash, findGo, headOf, renderChart, renderedFile, renderings, repository } from './chart.ts'
import { installOnDemand, type Installed } from './onDemand.ts'

const go = await findGo()
let tools: Installed | undefined
after(() => tools?.remove())

const install = async (): Promise<Installed> =>
  (tools ??= await installOnDemand({
    'kubernetes-models': '5.1.0',
    'dockerfile-utils': '0.16.3',
  }))

proves(
  'deploy.chart',
  'Go renders the chart to what is committed',
  { skip: 'missing' in go ? go.missing : false },
  async () => {
    assert.ok('go' in go)
    const head = headOf(await chartHash())
    for (const [which, text] of Object.entries(await renderChart(go)))
      assert.equal(head + text, await readFile(renderedFile(which), 'utf8'), which)
  },
)

/** Kinds of other projects, of which the models know nothing. */
const foreign = new Set(['PodMonitor'])

interface Model {
  new (manifest: object): { validate(): void }
}

proves('deploy.chart', 'every manifest fits the models of the Kubernetes API', async () => {
  const { folder } = await install()
  let checked = 0
  for (const which of Object.keys(renderings)) {
    for (const document of parseAllDocuments(await readFile(renderedFile(which), 'utf8'))) {
      const manifest = document.toJS() as { apiVersion: string; kind: string; metadata: { name: string } }
      const { apiVersion, kind, metadata } = manifest
      if (foreign.has(kind)) continue
      const file = join(folder, 'node_modules/kubernetes-models', apiVersion, `${kind}.js`)
      const models = (await import(pathToFileURL(file).href)) as Record<string, Model>
      const Known = mustHave(models[kind], `${apiVersion} ${kind}`)
      assert.doesNotThrow(() => new Known(manifest).validate(), `${which}: ${kind} ${metadata.name}`)
      checked += 1
    }
  }
  assert.ok(checked >= 15, `${checked} manifests`)
})

proves('deploy.image', 'the validator of the Docker language finds nothing wrong with the Dockerfile', async () => {
  const { require } = await install()
  const { validate } = require('dockerfile-utils') as {
    validate: (text: string) => { message: string; range: { start: { line: number } } }[]
  }
  const text = await readFile(join(repository, 'deploy/docker/Dockerfile'), 'utf8')
  assert.deepEqual(
    validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
    [],
  )
})
