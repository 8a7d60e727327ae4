// API keys: with what programs sign in.
import type { ApiKey } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { Confirm } from '../../parts/Dialog.tsx'
import { Cell, Row, RowTable, RowTableHead } from '../../parts/RowTable.tsx'
import { NotAllowed, Shown } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { keysQuery } from '../../queries/people.ts'
import { NewKeyDialog } from './NewKeyDialog.tsx'
import { visible } from '../../parts/visibleText.ts'

export function Keys() {
  const { unable } = useSession()
  const queries = useQueryClient()
  const cannot = unable('keys:manage')
  const keys = useQuery({ ...keysQuery, enabled: cannot === undefined })
  const [isMaking, setMaking] = useState(false)
  const [ending, setEnding] = useState<ApiKey>()
  const revoke = useMutation({
    mutationFn: (key: ApiKey) => runyard.apiKeys.delete(key.id),
    onSuccess: () => {
      toast('The key no longer works')
      setEnding(undefined)
      void queries.invalidateQueries({ queryKey: ['keys'] })
    },
    onError: (error) => toastError('The key still works', error),
  })
  if (cannot !== undefined) return <NotAllowed says={cannot} />
  return (
    <>
      <RowTableHead says="A key is for one program. It is shown once, when it is made.">
        <Button kind="go" icon="plus" unable={cannot} onClick={() => setMaking(true)}>
          Make a key
        </Button>
      </RowTableHead>
      <Shown query={keys} what="keys">
        {({ api_keys }) => (
          <RowTable heads={['Name', 'Key', 'Scopes', 'Last used', 'Ends']}>
            {api_keys.map((key) => (
              <Row
                key={key.id}
                actions={
                  <Button kind="quiet" icon="trash" unable={cannot} onClick={() => setEnding(key)}>
                    Revoke
                  </Button>
                }
              >
                <Cell>{visible(key.name)}</Cell>
                <Cell>
                  <code>{key.hint}…</code>
                </Cell>
                <Cell of="Scopes" isSmall>
                  {key.scopes.includes('*') ? 'everything' : key.scopes.join(', ')}
                </Cell>
                <Cell of="Last used">{key.last_used_at ? <Time at={key.last_used_at} /> : 'never'}</Cell>
                <Cell of="Ends">{key.expires_at ? <Time at={key.expires_at} /> : 'never'}</Cell>
              </Row>
            ))}
          </RowTable>
        )}
      </Shown>
      {isMaking && <NewKeyDialog onClose={() => setMaking(false)} />}
      {ending && (
        <Confirm
          isOpen
          onClose={() => setEnding(undefined)}
          title={`Revoke the key ${ending.name}?`}
          verb="Revoke"
          isBusy={revoke.isPending}
          onConfirm={() => revoke.mutate(ending)}
        >
          Programs that use it are refused from now on. Sessions that were opened with it end too.
        </Confirm>
      )}
    </>
  )
}
