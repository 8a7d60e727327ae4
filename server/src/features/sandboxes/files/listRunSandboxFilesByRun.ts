// Lists a folder of a run's workspace, by the run alone.
import { alias } from '../../../kit/operation.ts'
import { listRunSandboxFiles } from './listRunSandboxFiles.ts'

export const listRunSandboxFilesByRun = alias(listRunSandboxFiles, {
  id: 'listRunSandboxFilesByRun',
  client: 'runs.listFiles',
  route: 'GET /v2/runs/:run_id/sandbox/files',
  summary: 'List the files of a run, by the run alone',
})
