// One sandbox: its files with previews, uploads, commands with what they printed, and how much of its limits it uses.
import type { Sandbox } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Bar, Crumbs } from '../../app/Bar.tsx'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { CopyText } from '../../parts/CopyText.tsx'
import { NotAllowed, Shown } from '../../parts/states.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { sandboxQuery, sandboxUsageQuery } from '../../queries/sandboxes.ts'
import { DeleteSandbox } from '../sandboxes/DeleteSandbox.tsx'
import { Quota } from '../sandboxes/Quota.tsx'
import { CommandsTab } from './commands/CommandsTab.tsx'
import { FilesTab } from './files/FilesTab.tsx'
import style from './SandboxScreen.module.css'

const route = getRouteApi('/frame/sandboxes/$sandboxId')

export function SandboxScreen() {
  const { sandboxId } = route.useParams()
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  const { unable } = useSession()
  const cannotSee = unable('files:read')
  const cannot = unable('sandboxes:write')
  const sandbox = useQuery({ ...sandboxQuery(sandboxId), enabled: cannotSee === undefined })
  const [isDeleting, setDeleting] = useState(false)
  const link = { to: '/sandboxes/$sandboxId', params: { sandboxId } } as const
  return (
    <>
      <Bar
        isCrowded
        title={
          <Crumbs
            back={<Link to="/sandboxes">Sandboxes</Link>}
            here={<span className="cut">{sandboxId.slice(-12)}</span>}
          />
        }
        tabs={
          <Tabs
            label="Sandbox"
            tabs={[
              {
                label: 'Files',
                count: sandbox.data?.files_total,
                isOpen: tab === undefined,
                link: { ...link, search: (now: object) => ({ ...now, tab: undefined }) },
              },
              {
                label: 'Commands',
                isOpen: tab === 'commands',
                link: { ...link, search: (now: object) => ({ ...now, tab: 'commands' }) },
              },
            ]}
          />
        }
      >
        <span className={style.spacious}>
          <CopyAs operation="listSandboxFiles" params={{ sandbox_id: sandboxId }} />
        </span>
        <Button icon="trash" unable={cannot} onClick={() => setDeleting(true)}>
          Delete
        </Button>
      </Bar>
      <main className={style.main}>
        {cannotSee === undefined ? (
          <Shown query={sandbox} what="the sandbox">
            {(found) => (
              <>
                <Facts sandbox={found} />
                {tab === 'commands' ? <CommandsTab sandbox={found} /> : <FilesTab sandbox={found} />}
              </>
            )}
          </Shown>
        ) : (
          <NotAllowed says={cannotSee} />
        )}
      </main>
      {isDeleting && sandbox.data && (
        <DeleteSandbox
          sandbox={sandbox.data}
          onClose={() => setDeleting(false)}
          onDeleted={() => void navigate({ to: '/sandboxes' })}
        />
      )}
    </>
  )
}

function Facts({ sandbox }: { sandbox: Sandbox }) {
  const { data: usage } = useQuery(sandboxUsageQuery)
  const { sandbox_id, status, run_id, expires_at, created_at, kept_bytes, files_total } = sandbox
  return (
    <div className={style.facts}>
      <Tag tone={status === 'busy' ? 'live' : 'pass'}>{status}</Tag>
      <CopyText text={sandbox_id} what="sandbox id" />
      <Quota what="Size" used={kept_bytes} most={usage?.sandbox_bytes_max} unit="bytes" />
      <Quota what="Files" used={files_total} most={usage?.sandbox_files_max} unit="files" />
      <span>
        <span className="dim">made</span> <Time at={created_at} />
      </span>
      {run_id === null ? (
        expires_at !== null && (
          <span>
            <span className="dim">ends</span> <Time at={expires_at} />
          </span>
        )
      ) : (
        <Link className="link" to="/runs/$runId" params={{ runId: run_id }}>
          open its run
        </Link>
      )}
    </div>
  )
}
