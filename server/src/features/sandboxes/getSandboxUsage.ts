// Reads how much the sandboxes of a team hold, and how much they may hold.
import { operation } from '../../kit/operation.ts'
import { Type } from '../../kit/schema.ts'
import { teamBytes } from './workspace/quota.ts'
import { entriesMax } from './workspace/scan.ts'

const Bytes = (description: string) => Type.Integer({ minimum: 0, description })

export const getSandboxUsage = operation({
  id: 'getSandboxUsage',
  client: 'sandboxes.usage',
  route: 'GET /v2/teams/:teamId/sandbox-usage',
  summary: 'Get what sandboxes hold and may hold',
  description:
    'The limits of one sandbox and of all sandboxes of the team together. Files also count for the `storage_bytes` of the team.',
  scope: 'files:read',
  status: 200,
  answer: Type.Object({
    kept_bytes: Bytes('What all sandboxes of the team hold, as of the last ten seconds.'),
    kept_bytes_max: Bytes('What they may hold together.'),
    sandbox_bytes_max: Bytes('What one sandbox may hold.'),
    sandbox_files_max: Type.Integer({ minimum: 0, description: 'Files and empty folders that one sandbox may hold.' }),
  }),
  async handler({ team, sql, context }) {
    return {
      kept_bytes: await teamBytes(context, sql, team.id),
      kept_bytes_max: context.config.teamFilesBytesMax,
      sandbox_bytes_max: context.config.sandboxBytesMax,
      sandbox_files_max: entriesMax,
    }
  },
})
