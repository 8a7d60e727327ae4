// All builds of the agent: what any two of them differ in, and the promotion of one.
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ButtonLink } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { CopyAs } from '../../../parts/CopyAs.tsx'
import { Field, Select } from '../../../parts/Field.tsx'
import { Shown } from '../../../parts/states.tsx'
import { buildDiffQuery, buildQuery, buildsQuery } from '../../../queries/agents.ts'
import type { TabProps } from '../AgentScreen.tsx'
import { buildTitle } from '../draft/buildConfig.ts'
import { useDraft } from '../draft/DraftProvider.tsx'
import tab from '../tab.module.css'
import { BuildDiff, changesIn, DiffCounts } from './BuildDiff.tsx'
import { BuildRows } from './BuildRows.tsx'
import style from './BuildsTab.module.css'
import { PromoteCard } from './PromoteCard.tsx'

const route = getRouteApi('/frame/agents/$agentId')

export default function BuildsTab({ agent }: TabProps) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { working } = useDraft()
  const builds = useQuery(buildsQuery(agent.id))
  const all = builds.data?.builds ?? []
  const live = all.find(({ status }) => status === 'live')
  const { base } = working
  // the live build is compared with the one before it
  const against = search.with ?? (base.status === 'live' ? (base.parent_build_id ?? undefined) : live?.id)
  const diff = useQuery({ ...buildDiffQuery(agent.id, base.id, against), enabled: builds.data !== undefined })
  const other = all.find(({ id }) => id === (diff.data?.against_build_id ?? against))
  const build = useQuery(buildQuery(agent.id, base.id))
  return (
    <div className={style.columns}>
      <section className={style.list} aria-label="Builds">
        <header className={tab.head}>
          <h2>Builds</h2>
          <span className={tab.gap} />
          <CopyAs operation="listAgentRevisions" params={{ agent_id: agent.id }} />
        </header>
        <Shown query={builds} what="builds">
          {({ builds: rows, total }) => (
            <>
              <BuildRows agent={agent} builds={rows} />
              {total > rows.length && <p className={style.more}>and {total - rows.length} older ones, over the API</p>}
            </>
          )}
        </Shown>
      </section>
      <section className={style.compare} aria-label="Compared">
        <header className={style.head}>
          <div className={style.choice}>
            <Field label="Compared with">
              <Select
                options={all
                  .filter(({ id }) => id !== base.id)
                  .map((one) => ({
                    value: one.id,
                    label: `${one.revision_number} ${buildTitle(one)}${one.status === 'live' ? ' (live)' : ''}`,
                  }))}
                value={other?.id ?? ''}
                onChange={(event) =>
                  void navigate({ search: (now) => ({ ...now, with: event.target.value }), replace: true })
                }
              />
            </Field>
          </div>
          <ButtonLink
            to="/agents/$agentId"
            params={{ agentId: agent.id }}
            search={{ ...search, tab: undefined, build: base.id }}
            icon="edit"
          >
            Open build {base.revision_number}
          </ButtonLink>
        </header>
        {build.data?.revision_description && <p className={style.description}>{build.data.revision_description}</p>}
        <Card
          title={`${other?.revision_number ?? 'nothing'} → ${base.revision_number}`}
          facts={diff.data && changesIn(diff.data.diff)}
          aside={diff.data && <DiffCounts diff={diff.data.diff} />}
        >
          <Shown query={diff} what="what differs">
            {({ diff: found }) => <BuildDiff diff={found} />}
          </Shown>
        </Card>
      </section>
      <aside className={style.aside} aria-label="Promotion">
        <PromoteCard agent={agent} build={base} />
      </aside>
    </div>
  )
}
