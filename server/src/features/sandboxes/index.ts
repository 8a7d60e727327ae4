// Workspaces: the files that runs make and keep.
import { feature } from '../../kit/feature.ts'
import { forgetRuns } from './forgetRuns.ts'
import { sweepFiles } from './sweepFiles.job.ts'
import { sandboxTools } from './tools.ts'

export const sandboxes = feature({
  name: 'sandboxes',
  about: 'Workspaces: the files that runs make and keep.',
  jobs: [sweepFiles],
  toolSets: [sandboxTools],
  hooks: { runsDeleted: forgetRuns },
})
