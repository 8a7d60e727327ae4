// The worst runs of an agent in a time: all, of one build, or those in which one check did not pass. People mark them here.
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import layout from '../../parts/CardPage.module.css'
import { count, counted } from '../../parts/amounts.ts'
import { ButtonLink } from '../../parts/Button.tsx'
import { Card } from '../../parts/Card.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Cell, Row, RowTable } from '../../parts/RowTable.tsx'
import { Shown } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { worstRunsQuery } from '../../queries/evaluations.ts'
import style from './EvaluationsScreen.module.css'
import { MarkButtons } from './MarkButtons.tsx'
import { MarkNotes } from './MarkNotes.tsx'
import { percent } from './percent.ts'

const route = getRouteApi('/frame/evaluations')
const pageSize = 20

export function WorstRuns({ agentId, since }: { agentId: string; since: string }) {
  const search = route.useSearch()
  const { page = 0, build, flag, since: from, until } = search
  const input = { since: from ?? since, until, build_id: build, flag, limit: pageSize, offset: page * pageSize }
  const runs = useQuery(worstRunsQuery(agentId, input))
  const narrowed = [
    build !== undefined && { name: 'of one build', change: { build: undefined } },
    flag !== undefined && { name: `failed ${flag}`, change: { flag: undefined } },
    from !== undefined && { name: 'of the chosen days', change: { since: undefined, until: undefined } },
  ].filter((one) => one !== false)
  return (
    <Card
      title="Worst runs"
      facts={runs.data && counted(runs.data.total, 'run')}
      aside={<CopyAs isSmall operation="listEvaluatedRuns" params={{ agent_id: agentId }} input={input} />}
    >
      {narrowed.length > 0 && (
        <p className={style.narrowed}>
          {narrowed.map(({ name, change }) => (
            <ButtonLink
              key={name}
              icon="cross"
              to="/evaluations"
              search={{ ...search, ...change, page: undefined }}
              replace
              resetScroll={false}
            >
              {visible(name)}
            </ButtonLink>
          ))}
        </p>
      )}
      <Shown query={runs} what="runs" rows={6}>
        {({ evaluated_runs: rows, total }) =>
          rows.length === 0 ? (
            <p className={layout.note}>No evaluated run fits.</p>
          ) : (
            <div className={style.runs}>
              <RowTable heads={['Run', 'Score', 'Did not pass', 'Ended']}>
                {rows.map((row) => (
                  <Row
                    key={row.run_id}
                    actions={
                      <MarkButtons
                        runId={row.run_id}
                        own={row.own_mark}
                        good={row.marked_good}
                        bad={row.marked_bad}
                        what={`run ${row.run_number}`}
                      />
                    }
                  >
                    <Cell>
                      <Link
                        className="link"
                        to="/runs/$runId"
                        params={{ runId: row.run_id }}
                        search={{ tab: 'evaluation' }}
                      >
                        {row.run_number} {visible(row.run_title)}
                      </Link>
                      <MarkNotes marks={row.mark_notes} />
                    </Cell>
                    <Cell of="Score">{percent(row.score)}</Cell>
                    <Cell of="Did not pass">
                      <span className={style.flags}>
                        {row.failed.map((one) => (
                          <Tag key={one.flag} tone={one.severity === 'critical' ? 'fail' : 'wait'} title={one.flag}>
                            {visible(one.label)}
                          </Tag>
                        ))}
                      </span>
                    </Cell>
                    <Cell of="Ended">
                      <Time at={row.run_ended_at} />
                    </Cell>
                  </Row>
                ))}
              </RowTable>
              {total > pageSize && (
                <footer className={style.foot}>
                  {count(page * pageSize + 1)}–{count(page * pageSize + rows.length)} of {count(total)}
                  {page > 0 && (
                    <ButtonLink
                      icon="left"
                      to="/evaluations"
                      search={{ ...search, page: page === 1 ? undefined : page - 1 }}
                      resetScroll={false}
                    >
                      Page before
                    </ButtonLink>
                  )}
                  {(page + 1) * pageSize < total && (
                    <ButtonLink
                      icon="right"
                      to="/evaluations"
                      search={{ ...search, page: page + 1 }}
                      resetScroll={false}
                    >
                      Next page
                    </ButtonLink>
                  )}
                </footer>
              )}
            </div>
          )
        }
      </Shown>
    </Card>
  )
}
