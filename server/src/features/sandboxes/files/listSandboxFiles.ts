// Lists a folder of a sandbox, one level deep.
import { operation } from '../../../kit/operation.ts'
import { askedPath } from './requestPath.ts'
import { FileList, listFolder, ListQuery } from './fileList.ts'

export const listSandboxFiles = operation({
  id: 'listSandboxFiles',
  client: 'sandboxes.listFiles',
  route: 'GET /v2/sandboxes/:sandbox_id/files',
  summary: 'List the files of a sandbox',
  description: 'One level of the workspace, by name. Links are not listed, and nothing is read through one.',
  scope: 'files:read',
  query: ListQuery,
  status: 200,
  answer: FileList,
  handler: async ({ sandbox, query, sql }) => listFolder(sql, sandbox, askedPath(query.path)),
})
