// Lists a folder of a run's workspace, one level deep.
import { operation } from '../../../kit/operation.ts'
import { askedPath } from './requestPath.ts'
import { FileList, listFolder, ListQuery } from './fileList.ts'
import { sandboxOfRun } from '../workspace/sandboxOfRun.ts'

export const listRunSandboxFiles = operation({
  id: 'listRunSandboxFiles',
  client: 'runs.listAgentRunFiles',
  route: 'GET /v2/agents/:agent_id/runs/:run_id/sandbox/files',
  summary: 'List the files of a run',
  description: 'One level of the run’s workspace as it is now, by name. A run that has written nothing has no files.',
  scope: 'files:read',
  query: ListQuery,
  status: 200,
  answer: FileList,
  async handler({ run, query, sql }) {
    const path = askedPath(query.path)
    return listFolder(sql, await sandboxOfRun(sql, run), path)
  },
})
