// The agents of the team: which build is live, how they did this week, what they cost, and when they start next.
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useMemo, useRef } from 'react'
import { Bar } from '../../app/Bar.tsx'
import { useCommands } from '../../app/commands.ts'
import { useSession } from '../../app/session.tsx'
import { classes } from '../../look/classes.ts'
import { Icon } from '../../look/Icon.tsx'
import { count, counted } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { Empty, Shown } from '../../parts/states.tsx'
import { agentFiguresQuery, agentsQuery } from '../../queries/agents.ts'
import { AgentRow } from './AgentRow.tsx'
import table from '../../parts/Table.module.css'
import style from './AgentsScreen.module.css'
import { NewAgent } from './NewAgent.tsx'
import type { Beginning } from './search.ts'
import { useRowKeys } from './useRowKeys.ts'

const route = getRouteApi('/frame/agents')
const pageSize = 50

export function AgentsScreen() {
  const { unable } = useSession()
  const { search, page = 0, new: beginning } = route.useSearch()
  const navigate = route.useNavigate()
  const place = useRef<HTMLTableElement>(null)
  const pageInput = { limit: pageSize, offset: page * pageSize }
  const agents = useQuery(agentsQuery(search, pageInput))
  const ids = useMemo(() => agents.data?.agents.map(({ id }) => id) ?? [], [agents.data])
  const canSeeRuns = unable('runs:read') === undefined
  const figures = useQuery({ ...agentFiguresQuery(ids), enabled: canSeeRuns && ids.length > 0 })
  const open = (how: Beginning | undefined) =>
    void navigate({ search: (now) => ({ ...now, new: how }), replace: how === undefined })
  const cannot = unable('agents:write')
  useCommands([{ id: 'new-agent', label: 'New agent', icon: 'plus', unable: cannot, run: () => open('blank') }])
  useRowKeys({ table: place, onNew: () => cannot === undefined && open('blank') })

  const make = (
    <Button kind="go" icon="plus" unable={cannot} onClick={() => open('blank')}>
      New agent
    </Button>
  )
  return (
    <>
      <Bar title="Agents">
        <span className={style.spacious}>
          {search === undefined ? (
            <CopyAs operation="listAgents" input={pageInput} />
          ) : (
            <CopyAs operation="searchAgents" input={{ search, ...pageInput }} />
          )}
        </span>
        {make}
      </Bar>
      <main className={style.main}>
        <div className={style.filters}>
          <SearchField
            what="agents"
            where="Agents"
            hint="Name or description"
            value={search ?? ''}
            onChange={(words) => void navigate({ search: { ...(words !== '' && { search: words }) }, replace: true })}
          />
          {agents.data && (
            <span className={style.total} aria-live="polite">
              {counted(agents.data.total, 'agent')} · newest first
            </span>
          )}
        </div>
        <Shown query={agents} what="agents" rows={12}>
          {({ agents: rows, total }) =>
            rows.length === 0 ? (
              search === undefined ? (
                <Empty
                  icon="agents"
                  title="No agent yet"
                  action={make}
                  command='runyard call createAgent --name "My first agent"'
                >
                  An agent is a procedure: text for people and models, and steps that are carried out exactly as
                  written. Runs are started from it.
                </Empty>
              ) : (
                <Empty icon="search" title={`No agent has “${search}” in its name or description`}>
                  <Link className="link" to="/agents">
                    Show all agents
                  </Link>
                </Empty>
              )
            ) : (
              <>
                <table ref={place} className={classes(table.table, style.table)}>
                  <thead>
                    <tr>
                      <th scope="col">Agent</th>
                      <th scope="col">Live build</th>
                      <th scope="col">Last result</th>
                      <th scope="col">7 days</th>
                      <th scope="col" className={table.number}>
                        Median cost
                      </th>
                      <th scope="col" className={table.number}>
                        Median time
                      </th>
                      <th scope="col" className={table.number}>
                        Next start
                      </th>
                      <th scope="col" className={table.number}>
                        Runs
                      </th>
                      <th scope="col">
                        <span className="forReaders">Actions</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((agent) => (
                      <AgentRow
                        key={agent.id}
                        agent={agent}
                        figures={figures.data?.find(({ agent_id }) => agent_id === agent.id)}
                      />
                    ))}
                  </tbody>
                </table>
                <footer className={style.foot}>
                  <span>
                    {count(page * pageSize + 1)}–{count(page * pageSize + rows.length)} of {count(total)}
                  </span>
                  <span className={style.keys} aria-hidden>
                    <span>
                      <kbd>J</kbd> <kbd>K</kbd> move
                    </span>
                    <span>
                      <kbd>↵</kbd> open
                    </span>
                    <span>
                      <kbd>/</kbd> search
                    </span>
                  </span>
                  <span className={style.gap} />
                  <PageLink to={page - 1} isThere={page > 0} label="Page before" icon="left" />
                  <PageLink to={page + 1} isThere={(page + 1) * pageSize < total} label="Next page" icon="right" />
                </footer>
              </>
            )
          }
        </Shown>
      </main>
      {beginning && <NewAgent beginning={beginning} onBeginning={open} onClose={() => open(undefined)} />}
    </>
  )
}

interface PageLinkProps {
  to: number
  isThere: boolean
  label: string
  icon: 'left' | 'right'
}

function PageLink({ to, isThere, label, icon }: PageLinkProps) {
  const search = route.useSearch()
  if (!isThere)
    return (
      <span className={style.noPage} aria-hidden>
        <Icon name={icon} />
      </span>
    )
  return (
    <Link
      to="/agents"
      search={{ ...search, page: to === 0 ? undefined : to } as typeof search}
      className={style.page}
      aria-label={label}
    >
      <Icon name={icon} />
    </Link>
  )
}
