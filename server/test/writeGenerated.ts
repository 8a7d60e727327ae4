// npm run openapi: writes what is generated and committed: the OpenAPI document, parts of the SDK, the command line and the console, and four pages of docs.
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { configurationPage } from '../src/base/config.ts'
import { readIfThere } from '../src/base/atomicFile.ts'
import { providersPage } from '../src/features/connections/providers/providersPage.ts'
import { features } from '../src/features.ts'
import { openapiDocument } from '../src/kit/openapi.ts'
import { consoleMcpClients, consoleScopes, consoleTable } from '../../sdk/generate/consoleTable.ts'
import { operationTable } from '../../sdk/generate/operationTable.ts'
import { sdkFiles } from '../../sdk/generate/sdkFiles.ts'
import { errorCodesPage } from './errorCodesPage.ts'
import { gapsPage } from './requirements.ts'
import { collect } from '../src/kit/registry.ts'

/** A fixed URL, so that the committed file is the same on every machine. */
const documentedUrl = 'http://127.0.0.1:4700'

const inRepository = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

const registry = collect(features)
const sdk = sdkFiles(registry)

export const generatedFiles = [
  {
    path: inRepository('server/openapi.json'),
    text: `${JSON.stringify(openapiDocument(registry, documentedUrl), null, 2)}\n`,
  },
  { path: inRepository('sdk/src/generated/types.ts'), text: sdk.types },
  { path: inRepository('sdk/src/generated/groups.ts'), text: sdk.groups },
  { path: inRepository('cli/src/generated/operations.ts'), text: operationTable(registry) },
  { path: inRepository('console/src/generated/operations.ts'), text: consoleTable(registry) },
  { path: inRepository('console/src/generated/scopes.ts'), text: consoleScopes() },
  { path: inRepository('console/src/generated/mcpClients.ts'), text: consoleMcpClients() },
  { path: inRepository('docs/configuration.md'), text: configurationPage() },
  { path: inRepository('docs/providers.md'), text: providersPage() },
  { path: inRepository('docs/gaps.md'), text: gapsPage() },
  { path: inRepository('docs/guides/error-codes.md'), text: errorCodesPage() },
]

if (import.meta.main) {
  for (const { path, text } of generatedFiles) {
    const before = await readIfThere(path)
    await writeFile(path, text)
    console.log(`${before === text ? 'unchanged' : 'written'}: ${path}`)
  }
}
