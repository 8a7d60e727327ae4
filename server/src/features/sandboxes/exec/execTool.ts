// The tool sandbox_exec: a command in the run's workspace, whose changes of files commit with its result.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../../kit/context.ts'
import { laidFilesOf } from '../../../kit/registry.ts'
import { oneOf, Type } from '../../../kit/schema.ts'
import { outsideTool } from '../../../kit/tool.ts'
import { lockSandboxesOf } from '../workspace/changes.ts'
import { readGiven, secretsForCommand } from './givenToCommand.ts'
import { saveChanges, writtenFiles } from '../pool/saveChanges.ts'
import { commandResult, outputBytesMax, timeoutMaxS, timeoutUnsetS } from '../pool/command.ts'
import { sandboxPoolOf } from '../pool/sandboxPool.ts'
import type { WorkspaceRef, RunOfTeam } from '../workspace/workspace.ts'

const withoutPort = (entry: string): string => entry.replace(/:\d{1,5}$/, '')

/** How often a run polls whether a caller's command in its sandbox has ended. */
const pollMs = 200

export const sandboxExec = outsideTool({
  name: 'sandbox_exec',
  description:
    'Run a command in the workspace: bash, python or js. It starts in /workspace, with the variables of the build’s secrets and no network unless the ' +
    'operator allows some hosts; only files stay from one command to the next.',
  input: Type.Object({
    language: Type.Optional(oneOf(['bash', 'python', 'js'])),
    code: Type.String({ maxLength: 1_000_000 }),
    timeout_s: Type.Optional(Type.Integer({ minimum: 1, maximum: timeoutMaxS })),
  }),
  // without a network a command changes only files, and these are saved with its result: a repeated command finds the same files
  onDoubt: (_input, { config }) => (config.sandboxHosts.length === 0 ? 'retry' : 'ask'),
  // nobody knows in advance which of the operator's hosts a command calls, or what it does there
  leaves: (_input, { config }) =>
    config.sandboxHosts.length === 0 ? undefined : { isEffect: true, hosts: config.sandboxHosts.map(withoutPort) },
  timeoutMs: (timeoutMaxS + 60) * 1000,
  // commands of a turn share the files
  beside: 'alone',
  async execute({ run, step, input }, { context, signal, openResources }) {
    const given = await readGiven(context, run)
    const sandbox = await openResources.get('sandbox', async () =>
      sandboxPoolOf(context).open(await workspaceOf(context, run), await laidFilesOf(given)),
    )
    const version = await versionWhenFree(context, sandbox.workspace, signal)
    const { language = 'bash', code, timeout_s = timeoutUnsetS } = input
    const secrets = await secretsForCommand(given)
    const timeoutMs = timeout_s * 1000
    const outcome = await sandbox.run(version, { language, code, timeoutMs, outputBytesMax, signal, ...secrets })
    return {
      result: commandResult(outcome),
      files: writtenFiles(outcome.changes),
      async record(sql) {
        const locked = (await lockSandboxesOf(sql, [run])).get(run.id)!
        await saveChanges(context, sql, locked, locked.step_base + step, outcome)
      },
    }
  },
})

async function workspaceOf({ db }: Context, run: RunOfTeam): Promise<WorkspaceRef> {
  const { sandbox_id, team_id } = (await lockSandboxesOf(db.sql, [run])).get(run.id)!
  return { sandbox_id, team_id }
}

/** A command that a caller began while the run waited comes to its end first. */
async function versionWhenFree(
  { db }: Context,
  { sandbox_id, team_id }: WorkspaceRef,
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    const [sandbox] = await db.sql<{ version: string; is_held: boolean }>`
      select s.version,
        exists (select from sandbox_execs e where e.sandbox_id = s.id and e.ended_at is null) as is_held
      from sandboxes s where s.id = ${sandbox_id} and s.team_id = ${team_id}`
    if (!sandbox) throw new Error('The sandbox of this run was deleted.')
    if (!sandbox.is_held) return sandbox.version
    await sleep(pollMs, undefined, { signal })
  }
}
