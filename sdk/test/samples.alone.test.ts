// The samples of the reference: the compiler takes each of them against the SDK.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { features } from '../../server/src/features.ts'
import { clientSamples } from '../../server/src/kit/clientSamples.ts'
import { proves } from '../../server/test/kit/proves.ts'

const inRepository = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** What the compiler says about the samples, each a module of its own as somebody would copy it. */
async function complaints(samples: Map<string, string>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-samples-'))
  try {
    for (const [name, source] of samples) await writeFile(join(folder, `${name}.ts`), source)
    const options = {
      noEmit: true,
      rootDir: '/',
      declaration: false,
      rewriteRelativeImportExtensions: false,
      allowImportingTsExtensions: true,
      noUnusedLocals: false,
      paths: { '@runyard/sdk': [inRepository('sdk/src/index.ts')] },
    }
    const config = { extends: inRepository('sdk/tsconfig.json'), compilerOptions: options, include: ['*.ts'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    await writeFile(join(folder, 'package.json'), '{"type": "module"}')
    const tsc = inRepository('node_modules/typescript/bin/tsc')
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
      cwd: folder,
    }).catch((error: { stdout: string }) => error)
    return stdout.split('\n').filter((line) => line.includes('error TS'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

proves('docs.samples', 'the compiler takes the SDK sample of every operation, and refuses a wrong one', async () => {
  const operations = features.flatMap((feature) => feature.operations)
  const samples = new Map(
    operations.map((operation) => {
      const sample = clientSamples(operation).find(({ label }) => label === 'SDK')
      assert.ok(sample, `${operation.id} has no sample`)
      return [operation.id, sample.source]
    }),
  )
  const wrong = (samples.get('startRun') ?? '').replace('agent_id:', 'agentId:')
  const found = await complaints(new Map([...samples, ['wrong', wrong]]))
  assert.deepEqual(
    found.filter((line) => !line.startsWith('wrong.ts')),
    [],
  )
  assert.equal(found.length, 1)
})
