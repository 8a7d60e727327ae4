// Where the data of the page comes from: the connections that its steps may use, the steps, and the template.
import type { Artifact } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { Field, Select } from '../../parts/Field.tsx'
import { Shown } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { toastError } from '../../parts/toasts.tsx'
import { visible } from '../../parts/visibleText.ts'
import { artifactConnectionsQuery, artifactSourceQuery } from '../../queries/artifacts.ts'
import style from './ArtifactScreen.module.css'
import { notEditor } from './rights.ts'

export function DataPanel({ artifact, canEdit }: { artifact: Artifact; canEdit: boolean }) {
  const source = useQuery(artifactSourceQuery(artifact))
  return (
    // a keyboard must reach what scrolls
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={style.scroll} tabIndex={0} role="region" aria-label="Data">
      <Connections artifact={artifact} canEdit={canEdit} />
      <Shown
        query={{ ...source, data: source.data === undefined ? undefined : { found: source.data } }}
        what="steps"
        rows={6}
      >
        {({ found }) =>
          found === null ? (
            <p className="sub">There is no page yet, so there are no steps.</p>
          ) : (
            <>
              <h2 className={`caption ${style.heading}`}>Steps</h2>
              <p className="sub">
                A refresh runs these again. They last gave data <Time at={found.data_at} />. A message in the chat
                changes them.
              </p>
              {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
              <pre className={style.source} tabIndex={0} aria-label="Steps">
                {visible(found.procedure)}
              </pre>
              <h2 className={`caption ${style.heading}`}>Template</h2>
              {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
              <pre className={style.source} tabIndex={0} aria-label="Template">
                {visible(found.html)}
              </pre>
            </>
          )
        }
      </Shown>
    </div>
  )
}

function Connections({ artifact, canEdit }: { artifact: Artifact; canEdit: boolean }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const attached = useQuery(artifactConnectionsQuery(artifact.id))
  const canList = unable('connections:read') === undefined
  const all = useQuery({
    queryKey: ['connections', 'choices'],
    queryFn: async ({ signal }) => (await runyard.connections.list({ limit: 100 }, { signal }).page()).integrations,
    enabled: canList && canEdit,
  })
  const [chosen, setChosen] = useState('')
  const changed = () => queries.invalidateQueries({ queryKey: ['artifactConnections', artifact.id] })
  const attach = useMutation({
    mutationFn: () => runyard.artifacts.attachConnection(artifact.id, { connection_id: chosen }),
    onSuccess() {
      setChosen('')
      return changed()
    },
    onError: (error) => toastError('The connection was not attached', error),
  })
  const detach = useMutation({
    mutationFn: (connectionId: string) => runyard.artifacts.detachConnection(artifact.id, connectionId),
    onSuccess: changed,
    onError: (error) => toastError('The connection is still attached', error),
  })
  const cannot = unable('artifacts:write') ?? notEditor(canEdit)
  const free = all.data?.filter(({ id }) => !attached.data?.some((one) => one.connection_id === id)) ?? []
  return (
    <>
      <h2 className={`caption ${style.heading}`}>Connections</h2>
      <Shown query={attached} what="connections" rows={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="sub">Its steps use no connection: they read this team’s own figures, or open URLs.</p>
          ) : (
            <ul>
              {rows.map(({ connection_id, name, provider, status }) => (
                <li key={connection_id} className={style.connection}>
                  <span className="cut">{visible(name)}</span>
                  <Tag>{visible(provider)}</Tag>
                  <Tag tone={status === 'connected' ? undefined : 'wait'}>{visible(status)}</Tag>
                  <span className={style.gap} />
                  <Button
                    kind="quiet"
                    icon="cross"
                    aria-label={`Detach ${visible(name)}`}
                    unable={cannot}
                    onClick={() => detach.mutate(connection_id)}
                  />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
      {free.length > 0 && (
        <form
          className={style.attach}
          onSubmit={(event) => {
            event.preventDefault()
            if (chosen !== '' && !attach.isPending) attach.mutate()
          }}
        >
          <Field label="Attach a connection" hint="Its steps may use it from the next message or refresh on.">
            <Select
              value={chosen}
              onChange={(event) => setChosen((event.target as unknown as HTMLSelectElement).value)}
              options={[
                { value: '', label: 'Choose one' },
                ...free.map(({ id, name }) => ({ value: id, label: visible(name) })),
              ]}
            />
          </Field>
          <div className={style.acts}>
            <Button
              type="submit"
              icon="link"
              unable={cannot ?? (chosen === '' ? 'Choose a connection first.' : undefined)}
              isBusy={attach.isPending}
            >
              Attach
            </Button>
          </div>
        </form>
      )}
    </>
  )
}
