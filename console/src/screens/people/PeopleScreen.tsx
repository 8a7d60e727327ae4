// Keys and members: who can use the service, from where, and with what.
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Bar } from '../../app/Bar.tsx'
import { useSession } from '../../app/session.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { clientsQuery, keysQuery, sessionsQuery } from '../../queries/people.ts'
import { membersQuery } from '../../queries/team.ts'
import { AuditLog } from './audit/AuditLog.tsx'
import { Clients } from './Clients.tsx'
import { Guardrails } from './guardrails/Guardrails.tsx'
import { Keys } from './Keys.tsx'
import { McpSetup } from './McpSetup.tsx'
import { Members } from './Members.tsx'
import { Models } from './Models.tsx'
import style from './PeopleScreen.module.css'
import { peopleTabs } from './search.ts'
import { Sessions } from './Sessions.tsx'

const route = getRouteApi('/frame/people')
const names = {
  members: 'Members',
  sessions: 'Sessions',
  keys: 'Keys',
  clients: 'OAuth clients',
  models: 'Models',
  guardrails: 'Guardrails',
  mcp: 'MCP',
  audit: 'Audit log',
}
const bodies = {
  members: Members,
  sessions: Sessions,
  keys: Keys,
  clients: Clients,
  models: Models,
  guardrails: Guardrails,
  mcp: McpSetup,
  audit: AuditLog,
}

export function PeopleScreen() {
  const { tab = 'members' } = route.useSearch()
  const { unable } = useSession()
  const cannotManage = unable('keys:manage')
  const totals: Partial<Record<keyof typeof names, number | undefined>> = {
    members: useQuery(membersQuery).data?.total,
    sessions: useQuery(sessionsQuery).data?.total,
    keys: useQuery({ ...keysQuery, enabled: cannotManage === undefined }).data?.total,
    clients: useQuery({ ...clientsQuery, enabled: cannotManage === undefined }).data?.total,
  }
  const Body = bodies[tab]
  return (
    <>
      <Bar
        isCrowded
        title="Keys and members"
        tabs={
          <Tabs
            label="Keys and members"
            tabs={peopleTabs.map((each) => ({
              label: names[each],
              count: totals[each],
              isOpen: each === tab,
              link: { to: '/people', search: each === 'members' ? {} : { tab: each } },
            }))}
          />
        }
      />
      <main className={style.page}>
        <Body />
      </main>
    </>
  )
}
