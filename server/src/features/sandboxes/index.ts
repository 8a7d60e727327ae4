// Workspaces: the files that runs make and keep, and sandboxes that callers make for themselves.
import { feature } from '../../kit/feature.ts'
import { createSandbox } from './createSandbox.ts'
import { createUploadUrl } from './createUploadUrl.ts'
import { deleteSandbox } from './deleteSandbox.ts'
import { deleteSandboxFile } from './deleteSandboxFile.ts'
import { mountDownloads } from './downloadRoute.ts'
import { execDeskOf } from './execDesk.ts'
import { execSandbox } from './execSandbox.ts'
import { forgetRuns } from './forgetRuns.ts'
import { getRunSandboxFileContent } from './getRunSandboxFileContent.ts'
import { getRunSandboxFileContentByRun } from './getRunSandboxFileContentByRun.ts'
import { getSandbox } from './getSandbox.ts'
import { getSandboxFileContent } from './getSandboxFileContent.ts'
import { listRunSandboxFiles } from './listRunSandboxFiles.ts'
import { listRunSandboxFilesByRun } from './listRunSandboxFilesByRun.ts'
import { listSandboxFiles } from './listSandboxFiles.ts'
import { sandbox } from './sandbox.ts'
import { sweepFiles } from './sweepFiles.job.ts'
import { copyWorkspace, takeSandbox } from './takeSandbox.ts'
import { sandboxTools } from './tools.ts'
import { workbenchOf } from './workbench.ts'
import { mountUploads } from './uploadRoute.ts'
import { uploadSandboxFile } from './uploadSandboxFile.ts'

export const sandboxes = feature({
  name: 'sandboxes',
  about: 'Workspaces for files and commands: of runs, and of callers.',
  operations: [
    createSandbox,
    getSandbox,
    deleteSandbox,
    createUploadUrl,
    uploadSandboxFile,
    listSandboxFiles,
    getSandboxFileContent,
    deleteSandboxFile,
    execSandbox,
    listRunSandboxFiles,
    listRunSandboxFilesByRun,
    getRunSandboxFileContent,
    getRunSandboxFileContentByRun,
  ],
  resources: [sandbox],
  jobs: [sweepFiles],
  toolSets: [sandboxTools],
  hooks: { runTakesSandbox: takeSandbox, runCopied: copyWorkspace, runsDeleted: forgetRuns },
  work: (context, process) => execDeskOf(context).work(process),
  close: (context) => workbenchOf(context).close(),
  routes(app, context) {
    mountUploads(app, context)
    mountDownloads(app, context)
  },
})
