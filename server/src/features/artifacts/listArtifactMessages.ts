// Lists the chat of an artifact: the messages of the branch that the current page is on.
import { one, part } from '../../base/db.ts'
import { isId } from '../../base/ids.ts'
import { operation } from '../../kit/operation.ts'
import { readLongRows } from '../../kit/paging.ts'
import { Type } from '../../kit/schema.ts'
import { ArtifactMessage, messageList } from './message.ts'

export const listArtifactMessages = operation({
  id: 'listArtifactMessages',
  client: 'artifacts.listMessages',
  route: 'GET /v2/artifacts/:artifactId/messages',
  summary: 'List the messages of an artifact',
  description:
    'The newest messages, in the order in which they were written. Only messages that led to the current page are listed: restoring a revision also brings back its messages.',
  scope: 'artifacts:read',
  query: Type.Object({
    limit: Type.Integer({ minimum: 0, maximum: 500, default: 50, description: 'How many to give, at most 500.' }),
    before: Type.Optional(Type.String({ description: 'Only messages before the one with this id.' })),
  }),
  status: 200,
  answer: Type.Object({
    data: Type.Array(ArtifactMessage),
    total: Type.Integer({ minimum: 0 }),
    has_more: Type.Boolean({ description: 'Whether there are older messages.' }),
  }),
  async handler({ artifact, query, sql }) {
    const onBranch = part`artifact_messages.artifact_id = ${artifact.id}
      and (artifact_messages.run_id = ${artifact.run_id}::uuid or (
        (artifact_messages.base_revision_id is null or artifact_messages.base_revision_id in (select b.id from artifact_branch(${artifact.current_revision_id}) b))
        and (artifact_messages.revision_id is null or artifact_messages.revision_id in (select b.id from artifact_branch(${artifact.current_revision_id}) b))))`
    const { before } = query
    const older = before === undefined ? part`` : part`and artifact_messages.id < ${isId(before) ? before : null}::uuid`
    const order = part`artifact_messages.id desc`
    const list = { ...messageList, where: part`${onBranch} ${older}`, order }
    const newestFirst = await readLongRows<ArtifactMessage>(sql, list, part`limit ${query.limit + 1}`)
    const count = await one(sql<{ total: number }>`select count(*) as total from artifact_messages where ${onBranch}`)
    const data = newestFirst.slice(0, query.limit).toReversed()
    return { data, total: count.total, has_more: newestFirst.length > query.limit }
  },
})
