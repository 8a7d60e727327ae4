// Workspaces: the files that runs make, and sandboxes that callers make for themselves.
import { feature } from '../../kit/feature.ts'
import { createSandbox } from './createSandbox.ts'
import { createUploadUrl } from './files/createUploadUrl.ts'
import { deleteSandbox } from './deleteSandbox.ts'
import { deleteSandboxFile } from './files/deleteSandboxFile.ts'
import { mountDownloads } from './files/downloadRoute.ts'
import { execBrokerOf } from './exec/execBroker.ts'
import { execSandbox } from './exec/execSandbox.ts'
import { fileEvidence } from './fileEvidence.ts'
import { forgetRuns } from './forgetRuns.ts'
import { getRunSandboxFileContent } from './files/getRunSandboxFileContent.ts'
import { getRunSandboxFileContentByRun } from './files/getRunSandboxFileContentByRun.ts'
import { getSandbox } from './getSandbox.ts'
import { getSandboxUsage } from './getSandboxUsage.ts'
import { getSandboxFileContent } from './files/getSandboxFileContent.ts'
import { listRunSandboxFiles } from './files/listRunSandboxFiles.ts'
import { listRunSandboxFilesByRun } from './files/listRunSandboxFilesByRun.ts'
import { listSandboxFiles } from './files/listSandboxFiles.ts'
import { listSandboxes } from './listSandboxes.ts'
import { sandbox } from './workspace/sandbox.ts'
import { sweepFiles } from './files/sweepFiles.job.ts'
import { copyWorkspace, takeSandbox } from './takeSandbox.ts'
import { sandboxTools } from './tools.ts'
import { sandboxPoolOf } from './pool/sandboxPool.ts'
import { mountUploads } from './files/uploadRoute.ts'
import { uploadSandboxFile } from './files/uploadSandboxFile.ts'

export const sandboxes = feature({
  name: 'sandboxes',
  about: 'Workspaces for files and commands: of runs, and of callers.',
  operations: [
    createSandbox,
    listSandboxes,
    getSandboxUsage,
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
  evidence: fileEvidence,
  hooks: { runTakesSandbox: takeSandbox, runCopied: copyWorkspace, runsDeleted: forgetRuns },
  work: (context, process) => execBrokerOf(context).work(process),
  close: (context) => sandboxPoolOf(context).close(),
  routes(app, context) {
    mountUploads(app, context)
    mountDownloads(app, context)
  },
})
