// The versions of the guardrails: who changed what and why, compared with the one before, and restored.
import type { GuardrailVersion } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Diff } from '../../../parts/Diff.tsx'
import { Confirm, Dialog } from '../../../parts/Dialog.tsx'
import { Cell, Row, RowTable, RowTableHead } from '../../../parts/RowTable.tsx'
import { Shown } from '../../../parts/states.tsx'
import { Time } from '../../../parts/Time.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { connectionsQuery } from '../../../queries/connections.ts'
import { guardrailVersionsQuery, versionsShown } from '../../../queries/guardrails.ts'
import { membersQuery } from '../../../queries/team.ts'
import style from './Guardrails.module.css'
import { pageOf } from './rulesText.ts'

export function GuardrailHistory({ cannot }: { cannot: string | undefined }) {
  const { unable } = useSession()
  const versions = useQuery(guardrailVersionsQuery)
  const members = useQuery(membersQuery)
  const [compared, setCompared] = useState<GuardrailVersion>()
  const [restored, setRestored] = useState<GuardrailVersion>()
  const nameOf = (id: string | null) => members.data?.members.find((one) => one.id === id)?.name ?? 'Somebody'
  const connections = useQuery({
    ...connectionsQuery({ limit: 100 }),
    enabled: unable('connections:read') === undefined,
  })
  const connectionName = (id: string) => connections.data?.integrations.find((one) => one.id === id)?.name ?? id
  const before = (of: GuardrailVersion) => versions.data?.versions.find(({ version }) => version === of.version - 1)
  return (
    <section aria-label="History">
      <h2 className={style.title}>History</h2>
      <RowTableHead
        says={`Every change is a version. The newest is live.${(versions.data?.total ?? 0) > versionsShown ? ` The newest ${versionsShown} are shown.` : ''}`}
      />
      <Shown query={versions} what="versions" rows={3}>
        {(page) =>
          page.versions.length === 0 ? (
            <p className="dim">There were no guardrails yet.</p>
          ) : (
            <RowTable heads={['Version', 'By', 'When', 'Why']}>
              {page.versions.slice(0, versionsShown).map((one, index) => (
                <Row
                  key={one.version}
                  actions={
                    <>
                      <Button kind="quiet" onClick={() => setCompared(one)}>
                        Compare
                      </Button>
                      {index > 0 && (
                        <Button kind="quiet" unable={cannot} onClick={() => setRestored(one)}>
                          Restore
                        </Button>
                      )}
                    </>
                  }
                >
                  <Cell of="Version">
                    {one.version}
                    {one.restores !== null && <span className="dim"> as {one.restores}</span>}
                  </Cell>
                  <Cell of="By">{visible(nameOf(one.user_id))}</Cell>
                  <Cell of="When">{one.created_at !== null && <Time at={one.created_at} />}</Cell>
                  <Cell of="Why">
                    {one.comment === null ? <span className="dim">not said</span> : visible(one.comment)}
                  </Cell>
                </Row>
              ))}
            </RowTable>
          )
        }
      </Shown>
      {compared && (
        <Dialog isOpen onClose={() => setCompared(undefined)} title={`Version ${compared.version}`}>
          <Diff
            label={
              compared.version === 1
                ? 'No rules and version 1'
                : `Version ${compared.version - 1} and version ${compared.version}`
            }
            before={before(compared) ? pageOf(before(compared)!.rules, connectionName) : ''}
            after={pageOf(compared.rules, connectionName)}
          />
        </Dialog>
      )}
      {restored && <Restore version={restored.version} onClose={() => setRestored(undefined)} />}
    </section>
  )
}

function Restore({ version, onClose }: { version: number; onClose: () => void }) {
  const queries = useQueryClient()
  const restore = useMutation({
    mutationFn: () => runyard.guardrails.restore({ version }),
    onSuccess: ({ guardrails }) => {
      toast(`Version ${guardrails.version} is live, with the rules of version ${version}`)
      onClose()
      void queries.invalidateQueries({ queryKey: ['guardrails'] })
    },
    onError: (error) => toastError('The version was not restored', error),
  })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Restore version ${version}?`}
      verb="Restore"
      isBusy={restore.isPending}
      onConfirm={() => restore.mutate()}
    >
      Its rules become a new version, which is live at once, also for runs under way.
    </Confirm>
  )
}
