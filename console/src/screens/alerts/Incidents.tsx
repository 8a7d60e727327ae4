// The incidents of the team, the open ones first looked at, and the one that is chosen beside them.
import type { AlertIncident } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { StatusShape } from '../../look/StatusShape.tsx'
import { classes } from '../../look/classes.ts'
import layout from '../../parts/CardPage.module.css'
import { Card } from '../../parts/Card.tsx'
import { counted } from '../../parts/amounts.ts'
import { PageFoot } from '../../parts/PageFoot.tsx'
import { Empty, Shown } from '../../parts/states.tsx'
import { Switch } from '../../parts/Switch.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import table from '../../parts/Table.module.css'
import { visible } from '../../parts/visibleText.ts'
import { incidentsQuery } from '../../queries/alerts.ts'
import style from './AlertsScreen.module.css'
import { scopeNames, valueText } from './alertText.ts'
import { Incident } from './Incident.tsx'
import type { AlertsSearch } from './search.ts'

const route = getRouteApi('/frame/alerts')
const pageSize = 50

export function Incidents() {
  const search = route.useSearch()
  const { state = 'open', incident, page = 0 } = search
  const incidents = useQuery(incidentsQuery({ state, limit: pageSize, offset: page * pageSize }))
  return (
    <>
      <div className={layout.head}>
        <Switch
          label="Which incidents"
          choices={(['open', 'closed'] as const).map((one) => ({
            label: one === 'open' ? 'Open' : 'Closed',
            isOpen: one === state,
            link: { to: '/alerts', search: one === 'open' ? {} : { state: one } },
          }))}
        />
        {incidents.data && (
          <span className={layout.fact} aria-live="polite">
            {counted(incidents.data.total, 'incident')}
          </span>
        )}
      </div>
      {incident !== undefined && (
        <Link className={classes('link', style.back)} to="/alerts" search={{ ...search, incident: undefined }}>
          All incidents
        </Link>
      )}
      <div className={incident === undefined ? layout.column : classes(layout.cards, style.withOne)}>
        <Shown query={incidents} what="incidents">
          {({ incidents: rows, total }) =>
            rows.length === 0 ? (
              <Empty
                icon="bell"
                title={state === 'open' ? 'Nothing is wrong' : 'No incident has closed'}
                command="runyard alerts rules"
              >
                A rule watches a signal, such as the failure rate of an agent, and opens an incident when it is over its
                threshold.
              </Empty>
            ) : (
              <Card title={state === 'open' ? 'Open incidents' : 'Closed incidents'}>
                <div className={style.scroll}>
                  <table className={classes(table.table, table.inCard, style.incidents)}>
                    <thead>
                      <tr>
                        <th scope="col">Incident</th>
                        <th scope="col">Now</th>
                        <th scope="col">Highest</th>
                        <th scope="col">Opened</th>
                      </tr>
                    </thead>
                    <tbody>
                      {rows.map((one) => (
                        <Row key={one.id} incident={one} search={search} />
                      ))}
                    </tbody>
                  </table>
                </div>
                {total > pageSize && (
                  <PageFoot
                    page={page}
                    size={pageSize}
                    shown={rows.length}
                    total={total}
                    linkTo={(to) => ({
                      to: '/alerts',
                      search: { ...search, page: to === 0 ? undefined : to } as AlertsSearch,
                    })}
                  />
                )}
              </Card>
            )
          }
        </Shown>
        {incident !== undefined && <Incident key={incident} id={incident} />}
      </div>
    </>
  )
}

function Row({ incident, search }: { incident: AlertIncident; search: AlertsSearch }) {
  const { id, rule_name, scope, scope_name, signal, last_value, peak_value, opened_at, acknowledged_at } = incident
  return (
    <tr className={search.incident === id ? table.chosen : undefined}>
      <td>
        <span className={style.name}>
          <StatusShape shape={incident.state === 'open' ? 'failed' : 'done'} />
          <Link className="link" to="/alerts" search={{ ...search, incident: id }}>
            {visible(rule_name)}
          </Link>
          {acknowledged_at !== null && <Tag>acknowledged</Tag>}
          {incident.paused_agent_id !== null && <Tag tone="wait">paused its agent</Tag>}
        </span>
        <span className={classes(style.scope, 'dim', 'small')}>
          {scope === 'team' ? scopeNames.team : visible(scope_name ?? `a ${scope} that is gone`)}
        </span>
      </td>
      <td className={style.short} data-label="Now">
        {valueText(signal, last_value)}
      </td>
      <td className={style.short} data-label="Highest">
        {valueText(signal, peak_value)}
      </td>
      <td className={style.short} data-label="Opened">
        <Time at={opened_at} />
      </td>
    </tr>
  )
}
