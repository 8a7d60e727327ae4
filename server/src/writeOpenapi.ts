// Writes what is generated and committed: server/openapi.json, docs/configuration.md and docs/gaps.md.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { configurationPage } from './base/config.ts'
import { readIfThere } from './base/files.ts'
import { features } from './features.ts'
import { collect } from './kit/feature.ts'
import { openapiDocument } from './kit/openapi.ts'

export interface Generated {
  path: URL
  text: string
}

/** A fixed address, so that the committed file is the same on every machine. */
const documentedUrl = 'http://127.0.0.1:4700'

export function generatedFiles(): Generated[] {
  return [
    {
      path: new URL('../openapi.json', import.meta.url),
      text: `${JSON.stringify(openapiDocument(collect(features), documentedUrl), null, 2)}\n`,
    },
    { path: new URL('../../docs/configuration.md', import.meta.url), text: configurationPage() },
  ]
}

if (import.meta.main) {
  for (const { path, text } of generatedFiles()) {
    const before = await readIfThere(fileURLToPath(path))
    await writeFile(path, text)
    console.log(`${before === text ? 'unchanged' : 'written'}: ${path.pathname.split('/').slice(-2).join('/')}`)
  }
}
