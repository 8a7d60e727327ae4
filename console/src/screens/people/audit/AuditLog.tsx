// Who changed what, newest first, with filters that the address has, and all that fits as a CSV file.
import type { AuditEntry } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useSession } from '../../../app/session.tsx'
import { useSetting } from '../../../app/settings.ts'
import { startWork } from '../../../app/work.ts'
import { Button } from '../../../parts/Button.tsx'
import { CopyAs } from '../../../parts/CopyAs.tsx'
import { CopyText } from '../../../parts/CopyText.tsx'
import { Field, Input, Select } from '../../../parts/Field.tsx'
import { shownTotal } from '../../../parts/shownTotal.ts'
import { PageFoot } from '../../../parts/PageFoot.tsx'
import { Cell, Row, RowTable } from '../../../parts/RowTable.tsx'
import { Empty, NotAllowed, Shown } from '../../../parts/states.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { Time } from '../../../parts/Time.tsx'
import { auditQuery } from '../../../queries/people.ts'
import { membersQuery } from '../../../queries/team.ts'
import { auditFilter } from './auditFilter.ts'
import style from './AuditLog.module.css'
import { mutationsQuery } from './mutations.ts'
import { visible } from '../../../parts/visibleText.ts'

const route = getRouteApi('/frame/people')
const pageSize = 50

const credentials: Record<AuditEntry['credential_type'], string> = {
  api_key: 'key',
  oauth_client: 'OAuth client',
  session: 'page',
  command_line: 'command line',
  run: 'run',
  service: 'service',
}

export function AuditLog() {
  const { profile, unable } = useSession()
  const cannot = unable('keys:manage')
  const search = route.useSearch()
  const { page = 0 } = search
  const filter = auditFilter(search, useSetting('zone') === 'utc')
  const input = { ...filter, limit: pageSize, offset: page * pageSize }
  const log = useQuery({ ...auditQuery(input), enabled: cannot === undefined })
  const { data: members } = useQuery(membersQuery)
  const nameOf = (id: string | null) =>
    id === null ? 'nobody' : visible(members?.members.find((one) => one.id === id)?.name ?? id)
  if (cannot !== undefined) return <NotAllowed says={cannot} />
  const isNarrowed = Object.keys(filter).length > 0
  return (
    <>
      <div className={style.bar}>
        <Filters members={members?.members ?? []} />
        <span className={style.acts}>
          <CopyAs operation="listAuditLog" input={input} />
          <Button
            icon="download"
            unable={log.data?.total === 0 ? 'No entry fits.' : undefined}
            onClick={() =>
              startWork('exportAudit', profile.id, {
                // entries that are written after this do not fit
                input: { until: new Date().toISOString(), ...filter },
                over: JSON.stringify(filter),
                ...(log.data && { total: log.data.total }),
              })
            }
          >
            Export CSV
          </Button>
        </span>
      </div>
      <Shown query={log} what="the audit log">
        {({ entries, total }) =>
          entries.length === 0 ? (
            <Empty icon="book" title={isNarrowed ? 'No entry fits' : 'Nothing was changed yet'}>
              Every change has an entry here, also one that was refused. Entries cannot be changed; old ones are erased.
            </Empty>
          ) : (
            <>
              <p className="dim small">
                {shownTotal(total, page, pageSize)} {total === 1 ? 'entry' : 'entries'}, newest first
              </p>
              <RowTable heads={['When', 'Who', 'Operation', 'Target', 'Outcome', 'Request']} hasActions={false}>
                {entries.map((entry) => (
                  <Row key={entry.id}>
                    <Cell>
                      <Time at={entry.created_at} />
                    </Cell>
                    <Cell of="Who">
                      {nameOf(entry.user_id)} <span className="dim small">by {credentials[entry.credential_type]}</span>
                      {entry.for_user_id !== null && entry.for_user_id !== entry.user_id && (
                        <span className="dim small"> for {nameOf(entry.for_user_id)}</span>
                      )}
                    </Cell>
                    <Cell>
                      <code>{entry.operation}</code>
                    </Cell>
                    <Cell of="Target">
                      {entry.target_id === null ? (
                        <span className="dim">none</span>
                      ) : (
                        <>
                          {entry.target_type}{' '}
                          <CopyText text={entry.target_id} what="id" shown={entry.target_id.slice(-12)} />
                        </>
                      )}
                    </Cell>
                    <Cell of="Outcome" title={`status ${entry.status}`}>
                      {entry.outcome === 'done' ? (
                        <Tag tone="pass">done</Tag>
                      ) : (
                        <>
                          <Tag tone="fail">refused</Tag> <span className="small">{entry.error ?? entry.status}</span>
                        </>
                      )}
                    </Cell>
                    <Cell of="Request">
                      <CopyText text={entry.request_id} what="request id" shown={entry.request_id.slice(-8)} />
                    </Cell>
                  </Row>
                ))}
              </RowTable>
              <PageFoot
                page={page}
                size={pageSize}
                shown={entries.length}
                total={total}
                linkTo={(to) => ({
                  to: '/people',
                  search: (now: object) => ({ ...now, page: to === 0 ? undefined : to }),
                })}
              />
            </>
          )
        }
      </Shown>
    </>
  )
}

function Filters({ members }: { members: { id: string; name: string }[] }) {
  const { operation, user_id, since, until } = route.useSearch()
  const navigate = route.useNavigate()
  const { data: operations = [] } = useQuery(mutationsQuery)
  const choose = (change: Record<string, string>) =>
    void navigate({
      search: (now) =>
        Object.fromEntries(
          Object.entries({ ...now, page: undefined, ...change }).filter(
            ([, value]) => value !== undefined && value !== '',
          ),
        ),
      replace: true,
    })
  return (
    <div className={style.filters}>
      <Field label="Operation">
        <Select
          value={operation ?? ''}
          options={[
            { value: '', label: 'all' },
            ...[...new Set([...operations, ...(operation === undefined ? [] : [operation])])].map((id) => ({
              value: id,
              label: id,
            })),
          ]}
          onChange={(event) => choose({ operation: event.target.value })}
        />
      </Field>
      <Field label="Member">
        <Select
          value={user_id ?? ''}
          options={[{ value: '', label: 'all' }, ...members.map(({ id, name }) => ({ value: id, label: name }))]}
          onChange={(event) => choose({ user_id: event.target.value })}
        />
      </Field>
      <Field label="From">
        <Input type="date" value={since ?? ''} onChange={(event) => choose({ since: event.target.value })} />
      </Field>
      <Field label="To">
        <Input type="date" value={until ?? ''} onChange={(event) => choose({ until: event.target.value })} />
      </Field>
    </div>
  )
}
