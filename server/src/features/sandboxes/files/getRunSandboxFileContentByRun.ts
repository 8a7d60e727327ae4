// Reads a file of a run's workspace, by the run alone.
import { alias } from '../../../kit/operation.ts'
import { getRunSandboxFileContent } from './getRunSandboxFileContent.ts'

export const getRunSandboxFileContentByRun = alias(getRunSandboxFileContent, {
  id: 'getRunSandboxFileContentByRun',
  client: 'runs.getFileContent',
  route: 'GET /v2/runs/:run_id/sandbox/files/content',
  summary: 'Read a file of a run, by the run alone',
})
