// Makes a connection work again: the owner signs in at the provider, or somebody sends another key.
import type { Connection } from '@runyard/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../../app/session.tsx'
import { Button, type ButtonKind } from '../../parts/Button.tsx'
import { authorizeAgain } from '../../parts/connections/authorize.ts'
import { toastError } from '../../parts/toasts.tsx'
import { dependentsQuery } from '../../queries/connections.ts'
import { ReplaceSecret } from './ReplaceSecret.tsx'

export function Reconnect({ connection, kind = 'usual' }: { connection: Connection; kind?: ButtonKind }) {
  const cannot = useSession().unable('connections:write')
  const { data } = useQuery(dependentsQuery(connection.id))
  const [isReplacing, setReplacing] = useState(false)
  const waiting = data?.waiting_runs.map(({ id }) => id) ?? []
  const again = useMutation({
    mutationFn: () => authorizeAgain(connection, waiting),
    onError: (error) => toastError('The provider could not be asked', error),
  })
  const isOAuth = connection.auth_method === 'oauth'
  return (
    <>
      <Button
        kind={kind}
        icon={isOAuth ? 'external' : 'keys'}
        unable={cannot}
        isBusy={again.isPending || again.isSuccess}
        onClick={() => (isOAuth ? again.mutate() : setReplacing(true))}
      >
        {isOAuth ? 'Reconnect' : 'Replace the key'}
      </Button>
      {isReplacing && <ReplaceSecret connection={connection} waiting={waiting} onClose={() => setReplacing(false)} />}
    </>
  )
}
