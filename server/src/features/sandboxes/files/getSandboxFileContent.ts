// Reads a file of a sandbox.
import { operation } from '../../../kit/operation.ts'
import { askedPath } from './requestPath.ts'
import { ContentQuery, FileContent, readContent } from './fileContent.ts'

export const getSandboxFileContent = operation({
  id: 'getSandboxFileContent',
  client: 'sandboxes.getFileContent',
  route: 'GET /v2/sandboxes/:sandbox_id/files/content',
  summary: 'Read a file of a sandbox',
  description: 'Up to 10 MiB as text or base64; `download_url` gives a file of any size as it is.',
  scope: 'files:read',
  query: ContentQuery,
  status: 200,
  answer: FileContent,
  handler: async ({ sandbox, query, sql, context }) => readContent(context, sql, sandbox, askedPath(query.path)),
})
