// Adds a message to the chat of an artifact and starts the work that answers it.
import { one, type Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import { storageProblem } from '../../engine/engine.ts'
import type { Context } from '../../kit/context.ts'
import { hiddenAgentsOf } from '../../kit/registry.ts'
import type { ArtifactRow } from './artifact.ts'
import { messageColumns, type ArtifactMessage } from './message.ts'
import { startWork } from './startWork.ts'

/** How many messages before it, and how much of each, a model reads with a message. */
const conversationMax = 20
const textMax = 4000

interface NewMessage {
  artifact: ArtifactRow
  memberId: string
  text: string
  selectedElement: object | null
  /** The page that it changes; null: there is none yet. */
  baseRevisionId: string | null
  config: object
}

/** In the caller's transaction. Undefined: something else works on the artifact. */
export async function addMessage(context: Context, sql: Sql, wanted: NewMessage): Promise<ArtifactMessage | undefined> {
  const { artifact, memberId, text, selectedElement, baseRevisionId, config } = wanted
  const element = selectedElement && JSON.stringify(selectedElement)
  const bytes = Buffer.byteLength(text) + Buffer.byteLength(element ?? '')
  const full = await storageProblem(context, sql, artifact.team_id, bytes)
  if (full !== undefined) throw new Fault('entitlement_exceeded', full)
  const runId = await startWork(context, sql, {
    kind: 'message',
    artifact,
    buildId: artifact.work_build_id,
    config,
    configure: () =>
      hiddenAgentsOf(context).configure({
        sql,
        teamId: artifact.team_id,
        buildId: artifact.work_build_id,
        config,
        by: memberId,
      }),
    message: {
      message: text,
      title: artifact.title,
      kind: artifact.kind,
      ...(selectedElement && { selected_element: selectedElement }),
      conversation: await conversationBefore(sql, artifact.id),
    },
    memberId,
    baseRevisionId,
  })
  if (runId === undefined) return undefined
  return one(sql<ArtifactMessage>`
    insert into artifact_messages (id, team_id, artifact_id, author_user_id, role, content, selected_element, run_id, base_revision_id)
    values (${newId()}, ${artifact.team_id}, ${artifact.id}, ${memberId}, 'user', ${text},
      ${element}::jsonb, ${runId}, ${baseRevisionId})
    returning ${messageColumns}`)
}

async function conversationBefore(sql: Sql, artifactId: string): Promise<object[]> {
  const rows = await sql<{ role: string; content: string }>`
    select role, left(content, ${textMax}) as content from artifact_messages where artifact_id = ${artifactId}
    order by id desc limit ${conversationMax}`
  return rows.toReversed()
}
