// The sandboxes of the team: what each holds against its limits, which run has it, and when it ends.
import type { Sandbox } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Bar } from '../../app/Bar.tsx'
import { useCommands } from '../../app/commands.ts'
import { useKeys } from '../../app/keys.ts'
import { useSession } from '../../app/session.tsx'
import { count } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { PageFoot } from '../../parts/PageFoot.tsx'
import { Cell, Row, RowTable, RowTableHead } from '../../parts/RowTable.tsx'
import { Empty, NotAllowed, Shown } from '../../parts/states.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { sandboxesQuery, sandboxUsageQuery } from '../../queries/sandboxes.ts'
import { DeleteSandbox } from './DeleteSandbox.tsx'
import { NewSandbox } from './NewSandbox.tsx'
import { Quota } from './Quota.tsx'
import style from './SandboxesScreen.module.css'

const route = getRouteApi('/frame/sandboxes')
const pageSize = 50

export function SandboxesScreen() {
  const { unable } = useSession()
  const { of, page = 0, new: making } = route.useSearch()
  const navigate = route.useNavigate()
  const cannotSee = unable('files:read')
  const cannotMake = unable('sandboxes:write')
  const setMaking = (isMaking: boolean) =>
    void navigate({ search: (now) => ({ ...now, new: isMaking ? ('sandbox' as const) : undefined }), replace: true })
  useCommands([
    {
      id: 'new-sandbox',
      label: 'New sandbox',
      icon: 'plus',
      words: 'workspace files',
      unable: cannotMake,
      run: () => setMaking(true),
    },
  ])
  useKeys([
    { keys: 'n', says: 'New sandbox', where: 'Sandboxes', run: () => cannotMake === undefined && setMaking(true) },
  ])
  const madeBy = of === 'runs' ? 'run' : 'caller'
  const make = (
    <Button kind="go" icon="plus" keys={['N']} unable={cannotMake} onClick={() => setMaking(true)}>
      New sandbox
    </Button>
  )
  return (
    <>
      <Bar
        title="Sandboxes"
        tabs={
          <Tabs
            label="Sandboxes"
            tabs={[
              { label: 'Made by callers', isOpen: of === undefined, link: { to: '/sandboxes' } },
              { label: 'Of runs', isOpen: of === 'runs', link: { to: '/sandboxes', search: { of: 'runs' } } },
            ]}
          />
        }
      >
        <span className={style.spacious}>
          <CopyAs
            operation="listSandboxes"
            input={{ made_by: madeBy, limit: pageSize, ...(page > 0 && { offset: page * pageSize }) }}
          />
        </span>
        {make}
      </Bar>
      <main className={style.page}>
        {cannotSee === undefined ? (
          <List key={madeBy} madeBy={madeBy} page={page} onMake={() => setMaking(true)} />
        ) : (
          <NotAllowed says={cannotSee} />
        )}
      </main>
      {making && <NewSandbox onClose={() => setMaking(false)} />}
    </>
  )
}

function List({ madeBy, page, onMake }: { madeBy: 'caller' | 'run'; page: number; onMake: () => void }) {
  const { unable } = useSession()
  const cannot = unable('sandboxes:write')
  const sandboxes = useQuery(sandboxesQuery(madeBy, { limit: pageSize, offset: page * pageSize }))
  const usage = useQuery(sandboxUsageQuery)
  const [leaving, setLeaving] = useState<Sandbox>()
  return (
    <>
      <RowTableHead
        says={
          madeBy === 'run'
            ? 'Each run has a workspace of its own. Its files stay as long as the run does.'
            : 'A sandbox is a workspace for files and commands. Its files end with it, unless a run has it.'
        }
      >
        {usage.data && (
          <Quota what="All sandboxes" used={usage.data.kept_bytes} most={usage.data.kept_bytes_max} unit="bytes" />
        )}
      </RowTableHead>
      <Shown query={sandboxes} what="sandboxes">
        {({ sandboxes: rows, total }) =>
          rows.length === 0 ? (
            <Nothing madeBy={madeBy} cannot={cannot} onMake={onMake} />
          ) : (
            <>
              <RowTable
                heads={['Sandbox', 'Run', 'Files', 'Size', 'Made', ...(madeBy === 'caller' ? ['Ends'] : [])]}
                numbers={['Files']}
              >
                {rows.map((sandbox) => (
                  <Row
                    key={sandbox.sandbox_id}
                    actions={
                      <Button kind="quiet" icon="trash" unable={cannot} onClick={() => setLeaving(sandbox)}>
                        Delete
                      </Button>
                    }
                  >
                    <Cell>
                      <Link className="link" to="/sandboxes/$sandboxId" params={{ sandboxId: sandbox.sandbox_id }}>
                        <code>{sandbox.sandbox_id}</code>
                      </Link>{' '}
                      {sandbox.status === 'busy' && <Tag tone="live">busy</Tag>}
                    </Cell>
                    <Cell of="Run">
                      {sandbox.run_id === null ? (
                        <span className="dim">none</span>
                      ) : (
                        <Link className="link" to="/runs/$runId" params={{ runId: sandbox.run_id }}>
                          open the run
                        </Link>
                      )}
                    </Cell>
                    <Cell of="Files" isNumber>
                      {count(sandbox.files_total)}
                    </Cell>
                    <Cell of="Size">
                      <Quota
                        what="This sandbox"
                        used={sandbox.kept_bytes}
                        most={usage.data?.sandbox_bytes_max}
                        unit="bytes"
                        isBrief
                      />
                    </Cell>
                    <Cell of="Made">
                      <Time at={sandbox.created_at} />
                    </Cell>
                    {madeBy === 'caller' && (
                      <Cell of="Ends">
                        {sandbox.run_id !== null ? (
                          'with its run'
                        ) : sandbox.expires_at === null ? (
                          'never'
                        ) : (
                          <Time at={sandbox.expires_at} />
                        )}
                      </Cell>
                    )}
                  </Row>
                ))}
              </RowTable>
              <PageFoot
                page={page}
                size={pageSize}
                shown={rows.length}
                total={total}
                linkTo={(to) => ({
                  to: '/sandboxes',
                  search: (now: object) => ({ ...now, page: to === 0 ? undefined : to }),
                })}
              />
            </>
          )
        }
      </Shown>
      {leaving && <DeleteSandbox sandbox={leaving} onClose={() => setLeaving(undefined)} />}
    </>
  )
}

function Nothing({
  madeBy,
  cannot,
  onMake,
}: {
  madeBy: 'caller' | 'run'
  cannot: string | undefined
  onMake: () => void
}) {
  if (madeBy === 'run')
    return (
      <Empty icon="sandboxes" title="No run has files">
        A run gets its workspace with its first file or command.
      </Empty>
    )
  return (
    <Empty
      icon="sandboxes"
      title="No sandbox"
      action={
        <Button icon="plus" unable={cannot} onClick={onMake}>
          New sandbox
        </Button>
      }
      command="runyard sandbox create"
    >
      Put files into one, run commands in it, and give it to a run that works on them.
    </Empty>
  )
}
