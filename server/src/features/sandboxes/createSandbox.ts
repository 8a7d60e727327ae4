// Makes a sandbox that belongs to no run yet.
import { one } from '../../base/db.ts'
import { newId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { Id, Time, Type } from '../../kit/schema.ts'
import { SandboxStatus } from './workspace/sandbox.ts'

export const createSandbox = operation({
  id: 'createSandbox',
  client: 'sandboxes.create',
  route: 'POST /v2/sandboxes',
  summary: 'Make a sandbox',
  description:
    'A sandbox is a workspace for files and commands. Given to startRun, it becomes that run’s workspace and stays as long as the run’s ' +
    'files do. Otherwise it is deleted with its files after `ttl_seconds`.',
  scope: 'sandboxes:write',
  body: Type.Object({
    ttl_seconds: Type.Optional(Type.Integer({ minimum: 60, maximum: 604_800, default: 86_400 })),
  }),
  status: 201,
  answer: Type.Object({ sandbox_id: Id, status: SandboxStatus, expires_at: Time }),
  async handler({ team, body, sql }) {
    const made = await one(sql<{ sandbox_id: string; expires_at: Date }>`
      insert into sandboxes (id, team_id, expires_at)
      values (${newId()}, ${team.id}, now() + make_interval(secs => ${body.ttl_seconds ?? 86_400}))
      returning id as sandbox_id, expires_at`)
    const { sandbox_id, expires_at } = made
    return { sandbox_id, status: 'ready' as const, expires_at }
  },
})
