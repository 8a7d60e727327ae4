// OAuth clients: programs that exchange a secret for tokens of an hour.
import type { OauthClient } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { CopyText } from '../../parts/CopyText.tsx'
import { Confirm } from '../../parts/Dialog.tsx'
import { Cell, Row, RowTable, RowTableHead } from '../../parts/RowTable.tsx'
import { Empty, NotAllowed, Shown } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { clientsQuery } from '../../queries/people.ts'
import { NewClientDialog } from './NewClientDialog.tsx'
import { visible } from '../../parts/visibleText.ts'

export function Clients() {
  const { unable } = useSession()
  const queries = useQueryClient()
  const cannot = unable('keys:manage')
  const clients = useQuery({ ...clientsQuery, enabled: cannot === undefined })
  const [isMaking, setMaking] = useState(false)
  const [ending, setEnding] = useState<OauthClient>()
  const remove = useMutation({
    mutationFn: ({ id }: OauthClient) => runyard.oauthClients.delete(id),
    onSuccess: () => {
      toast('The client and its tokens no longer work')
      setEnding(undefined)
      void queries.invalidateQueries({ queryKey: ['oauthClients'] })
    },
    onError: (error) => toastError('The client still works', error),
  })
  if (cannot !== undefined) return <NotAllowed says={cannot} />
  const make = (
    <Button kind="go" icon="plus" onClick={() => setMaking(true)}>
      New client
    </Button>
  )
  return (
    <>
      <RowTableHead says="An OAuth client exchanges its secret for tokens that work for an hour (client credentials).">
        {(clients.data?.total ?? 0) > 0 && make}
      </RowTableHead>
      <Shown query={clients} what="OAuth clients">
        {({ oauth_clients: rows }) =>
          rows.length === 0 ? (
            <Empty
              icon="keys"
              title="No OAuth client"
              action={make}
              command="runyard call createOauthClient --name 'billing system'"
            >
              Use one for programs that want short-lived tokens. A key is simpler where that does not matter.
            </Empty>
          ) : (
            <RowTable heads={['Name', 'Client id', 'Scopes', 'Last used', 'Ends']}>
              {rows.map((client) => (
                <Row
                  key={client.id}
                  actions={
                    <Button kind="quiet" icon="trash" onClick={() => setEnding(client)}>
                      Remove
                    </Button>
                  }
                >
                  <Cell>{visible(client.name)}</Cell>
                  <Cell>
                    <CopyText text={client.id} what="client id" />
                  </Cell>
                  <Cell of="Scopes" isSmall>
                    {client.scopes.includes('*') ? 'everything' : client.scopes.join(', ')}
                  </Cell>
                  <Cell of="Last used">{client.last_used_at ? <Time at={client.last_used_at} /> : 'never'}</Cell>
                  <Cell of="Ends">{client.expires_at ? <Time at={client.expires_at} /> : 'never'}</Cell>
                </Row>
              ))}
            </RowTable>
          )
        }
      </Shown>
      {isMaking && <NewClientDialog onClose={() => setMaking(false)} />}
      {ending && (
        <Confirm
          isOpen
          onClose={() => setEnding(undefined)}
          title={`Remove the OAuth client ${ending.name}?`}
          verb="Remove"
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(ending)}
        >
          Programs that use it are refused from now on, also with tokens that they have.
        </Confirm>
      )}
    </>
  )
}
