// Alerts: the incidents that are open with the runs behind them, and the rules that open them.
import { getRouteApi } from '@tanstack/react-router'
import { Bar } from '../../app/Bar.tsx'
import { useSession } from '../../app/session.tsx'
import layout from '../../parts/CardPage.module.css'
import { ButtonLink, Button } from '../../parts/Button.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { Incidents } from './Incidents.tsx'
import { Rules } from './Rules.tsx'

const route = getRouteApi('/frame/alerts')

export function AlertsScreen() {
  const { tab = 'incidents' } = route.useSearch()
  const cannotWrite = useSession().unable('agents:write')
  return (
    <>
      <Bar
        title="Alerts"
        tabs={
          <Tabs
            label="Alerts"
            tabs={[
              { label: 'Incidents', isOpen: tab === 'incidents', link: { to: '/alerts', search: {} } },
              { label: 'Rules', isOpen: tab === 'rules', link: { to: '/alerts', search: { tab: 'rules' } } },
            ]}
          />
        }
      >
        <span className={layout.wide}>
          <CopyAs operation={tab === 'rules' ? 'listAlertRules' : 'listAlertIncidents'} />
        </span>
        {cannotWrite === undefined ? (
          <ButtonLink kind="go" icon="plus" to="/alerts" search={{ tab: 'rules', edit: 'new' }}>
            New rule
          </ButtonLink>
        ) : (
          <Button icon="plus" unable={cannotWrite}>
            New rule
          </Button>
        )}
      </Bar>
      <main className={layout.page}>{tab === 'rules' ? <Rules /> : <Incidents />}</main>
    </>
  )
}
