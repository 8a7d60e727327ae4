// The example artifact of a first start: the built-in page "operations today", which its first refresh fills.
import { part, type Sql } from './base/db.ts'
import { hiddenAgents } from './features/agents/hiddenAgents.ts'
import { insertArtifact } from './features/artifacts/insertArtifact.ts'
import { joinSource } from './features/artifacts/pageSource.ts'
import { findTemplate } from './features/artifacts/messagePlan.ts'
import { pageConfigWith } from './features/artifacts/workConfig.ts'
import { features } from './features.ts'

/** In the transaction that makes its team. It is due at once, and every hour from then on. */
export async function createDemoArtifact(sql: Sql, owner: { teamId: string; memberId: string }): Promise<void> {
  const page = findTemplate('operations_today')
  if (!page) throw new Error('there is no template operations_today')
  const toolSets = features.flatMap((feature) => feature.toolSets)
  const source = joinSource(page.procedure, page.html)
  await insertArtifact(sql, hiddenAgents, {
    ...owner,
    title: page.title,
    kind: 'dashboard',
    configs: [pageConfigWith(toolSets, source, []), pageConfigWith(toolSets, '', [])],
    page: part`
      select ${page.procedure}::text as procedure, ${page.html}::text as html, '{}'::jsonb as data, now() as data_at,
        null::bytea as picture_sha256`,
    visibility: 'team',
    refreshFrequency: 'hourly',
  })
}
