// Sandboxes that stay open for a while after a command, so that the next command finds them ready.
import type { Log } from '../../../base/log.ts'
import type { OpenSandbox } from '../pool/openSandbox.ts'
import type { WorkspaceRef } from '../workspace/workspace.ts'

/** How long a sandbox stays open after its last command, and how many do. */
const warmMs = 60_000
const warmMax = 16

interface WarmSandbox {
  sandbox: Promise<OpenSandbox>
  /** When its last command ended; undefined while one runs. */
  idleSince: number | undefined
}

/** The key is the id of the sandbox; the longest unused comes first. */
export type WarmSandboxes = Map<string, WarmSandbox>

/** Opens the sandbox unless it is open. It is in use until `idleSince` is set. */
export function takeWarm(
  warm: WarmSandboxes,
  workspace: WorkspaceRef,
  open: (workspace: WorkspaceRef) => Promise<OpenSandbox>,
): WarmSandbox {
  const { sandbox_id } = workspace
  let one = warm.get(sandbox_id)
  if (!one) {
    one = { sandbox: open(workspace), idleSince: undefined }
    one.sandbox.catch(() => warm.delete(sandbox_id))
  }
  warm.delete(sandbox_id)
  warm.set(sandbox_id, one)
  one.idleSince = undefined
  return one
}

/** Closes sandboxes without a command that are idle for too long, or too many. They are not those of whoever asks, who learns of no failure. */
export async function closeIdle(warm: WarmSandboxes, log: Log): Promise<void> {
  for (const [id, { sandbox, idleSince }] of warm) {
    const isOld = idleSince !== undefined && performance.now() - idleSince > warmMs
    if (idleSince === undefined || (!isOld && warm.size <= warmMax)) continue
    warm.delete(id)
    await close(sandbox, log)
  }
}

export async function closeAll(warm: WarmSandboxes, log: Log): Promise<void> {
  for (const { sandbox } of warm.values()) await close(sandbox, log)
  warm.clear()
}

async function close(sandbox: Promise<OpenSandbox>, log: Log): Promise<void> {
  try {
    await (await sandbox).close()
  } catch (error) {
    log.error({ err: error }, 'a sandbox could not be closed')
  }
}
