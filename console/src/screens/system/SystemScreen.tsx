// The installation: version, what needs a look, processes with their loops, lanes and pools, sizes and growth, settings, and drills.
import type { GetSystemAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Bar } from '../../app/Bar.tsx'
import { useCommands } from '../../app/commands.ts'
import { useKeys } from '../../app/keys.ts'
import { useSession } from '../../app/session.tsx'
import { StatusShape } from '../../look/StatusShape.tsx'
import { bytes } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { copy } from '../../parts/CopyText.tsx'
import { NotAllowed, Shown } from '../../parts/states.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { systemQuery } from '../../queries/system.ts'
import { diagnosticsOf } from './diagnostics.ts'
import { troublesOf } from './health.ts'
import { Drills } from './Drills.tsx'
import { Processes } from './Processes.tsx'
import { systemTabs } from './search.ts'
import { Settings } from './Settings.tsx'
import { Sizes } from './Sizes.tsx'
import style from './SystemScreen.module.css'

const route = getRouteApi('/frame/system')
const names = { processes: 'Processes', sizes: 'Sizes', settings: 'Settings', drills: 'Drills' }
const bodies = { processes: Processes, sizes: Sizes, settings: Settings, drills: Drills }

export function SystemScreen() {
  const { tab = 'processes' } = route.useSearch()
  const { unable } = useSession()
  const cannot = unable('system:read')
  const system = useQuery({ ...systemQuery, enabled: cannot === undefined })
  const copyAll = () => {
    if (!system.data) return
    copy(diagnosticsOf(system.data, navigator.userAgent)).then(
      () => toast('Diagnostics copied; no secret is in them'),
      (error: unknown) => toastError('The diagnostics could not be copied', error),
    )
  }
  const notYet = system.data ? undefined : 'The state of the system is not here yet.'
  useKeys([{ keys: 'c', says: 'Copy diagnostics', where: 'System', run: copyAll }])
  useCommands([{ id: 'diagnostics', label: 'Copy diagnostics', icon: 'copy', unable: cannot ?? notYet, run: copyAll }])
  const Body = bodies[tab]
  return (
    <>
      <Bar
        title="System"
        tabs={
          <Tabs
            label="System"
            tabs={systemTabs.map((each) => ({
              label: names[each],
              count: each === 'processes' ? system.data?.processes.length : undefined,
              isOpen: each === tab,
              link: { to: '/system', search: each === 'processes' ? {} : { tab: each } },
            }))}
          />
        }
      >
        <span className={style.spacious}>
          <CopyAs operation={tab === 'drills' ? 'listDrills' : 'getSystem'} />
        </span>
        <Button icon="copy" keys={['C']} unable={cannot ?? notYet} onClick={copyAll}>
          Copy diagnostics
        </Button>
      </Bar>
      <main className={style.page}>
        {cannot === undefined ? (
          <Shown query={system} what="the system">
            {(found) => (
              <>
                <Head system={found} />
                <Body system={found} />
              </>
            )}
          </Shown>
        ) : (
          <NotAllowed says={cannot} />
        )}
      </main>
    </>
  )
}

function Head({ system }: { system: GetSystemAnswer }) {
  const { version, node_version, base_url, database } = system
  const troubles = troublesOf(system)
  return (
    <>
      <dl className={style.facts}>
        <div>
          <dt>Runyard</dt>
          <dd>{version}</dd>
        </div>
        <div>
          <dt>Node</dt>
          <dd>{node_version}</dd>
        </div>
        <div>
          <dt>PostgreSQL</dt>
          <dd>
            {database.version}, {database.is_embedded ? 'embedded' : 'your own'}
          </dd>
        </div>
        <div>
          <dt>Database</dt>
          <dd>{bytes(database.bytes)}</dd>
        </div>
        <div>
          <dt>Connections</dt>
          <dd>
            {database.connections} of {database.connections_max}
          </dd>
        </div>
        <div>
          <dt>URL</dt>
          <dd>{base_url}</dd>
        </div>
      </dl>
      <ul className={style.troubles} aria-label="What needs a look">
        {troubles.length === 0 ? (
          <li>
            <StatusShape shape="done" /> Nothing needs a look.
          </li>
        ) : (
          troubles.map((trouble) => (
            <li key={trouble}>
              <StatusShape shape="failed" /> {trouble}
            </li>
          ))
        )}
      </ul>
    </>
  )
}
