// Reads one sandbox.
import { operation } from '../../kit/operation.ts'
import { Sandbox } from './workspace/sandbox.ts'

export const getSandbox = operation({
  id: 'getSandbox',
  client: 'sandboxes.get',
  route: 'GET /v2/sandboxes/:sandbox_id',
  summary: 'Get a sandbox',
  scope: 'files:read',
  status: 200,
  answer: Sandbox,
  async handler({ sandbox }) {
    const { sandbox_id, status, expires_at, run_id, files_total, kept_bytes, created_at } = sandbox
    return { sandbox_id, status, expires_at, run_id, files_total, kept_bytes, created_at }
  },
})
