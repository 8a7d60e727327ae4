// Reads a file of a run's workspace.
import { operation } from '../../../kit/operation.ts'
import { askedPath } from './requestPath.ts'
import { FileContent, onlyPath, readContent, RunContentQuery } from './fileContent.ts'
import { sandboxOfRun } from '../workspace/sandboxOfRun.ts'

export const getRunSandboxFileContent = operation({
  id: 'getRunSandboxFileContent',
  client: 'runs.getAgentRunFileContent',
  route: 'GET /v2/agents/:agent_id/runs/:run_id/sandbox/files/content',
  summary: 'Read a file of a run',
  description: 'Up to 10 MiB as text or base64; `download_url` gives a file of any size as it is.',
  scope: 'files:read',
  query: RunContentQuery,
  status: 200,
  answer: FileContent,
  async handler({ run, query, sql, context }) {
    const place = await sandboxOfRun(sql, run)
    const path = query.path === undefined ? await onlyPath(sql, place) : askedPath(query.path)
    return readContent(context, sql, place, path)
  },
})
