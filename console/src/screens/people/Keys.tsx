// API keys: with what programs sign in.
import type { ApiKey } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { Confirm } from '../../parts/Dialog.tsx'
import { NotAllowed, Shown } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { keysQuery } from '../../queries/people.ts'
import { NewKeyDialog } from './NewKeyDialog.tsx'
import style from './PeopleScreen.module.css'

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
      <div className={style.head}>
        <p>A key is for one program. It is shown once, when it is made.</p>
        <Button kind="go" icon="plus" unable={cannot} onClick={() => setMaking(true)}>
          Make a key
        </Button>
      </div>
      <Shown query={keys} what="keys">
        {({ api_keys }) => (
          <div className={style.scroll}>
            <table className={style.table}>
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">Key</th>
                  <th scope="col">Scopes</th>
                  <th scope="col">Last used</th>
                  <th scope="col">Ends</th>
                  <th scope="col" className={style.end}>
                    <span className="forReaders">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {api_keys.map((key) => (
                  <tr key={key.id}>
                    <td>{key.name}</td>
                    <td>
                      <code>{key.hint}…</code>
                    </td>
                    <td className="small" data-label="Scopes">
                      {key.scopes.includes('*') ? 'everything' : key.scopes.join(', ')}
                    </td>
                    <td data-label="Last used">{key.last_used_at ? <Time at={key.last_used_at} /> : 'never'}</td>
                    <td data-label="Ends">{key.expires_at ? <Time at={key.expires_at} /> : 'never'}</td>
                    <td className={style.end}>
                      <Button kind="quiet" icon="trash" unable={cannot} onClick={() => setEnding(key)}>
                        Revoke
                      </Button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
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
