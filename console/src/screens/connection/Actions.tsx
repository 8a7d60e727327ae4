// What one does with a connection: test it, name it, share it, switch it off, remove it.
import type { Connection, UpdateConnectionInput } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useCommands } from '../../app/commands.ts'
import { useKeys } from '../../app/keys.ts'
import { useSession } from '../../app/session.tsx'
import { counted } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { useCopyAs } from '../../parts/CopyAs.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { RemoveConnection } from './RemoveConnection.tsx'
import { RenameConnection } from './RenameConnection.tsx'

export function Actions({ connection }: { connection: Connection }) {
  const { id, name, status, shared } = connection
  const cannot = useSession().unable('connections:write')
  const queries = useQueryClient()
  const [dialog, setDialog] = useState<'rename' | 'remove'>()
  const changed = () =>
    Promise.all([['connection', id], ['connections']].map((queryKey) => queries.invalidateQueries({ queryKey })))
  const test = useMutation({
    mutationFn: () => runyard.connections.test(id),
    onSuccess: ({ success, error, tools_count: tools }) => {
      if (success) toast(tools === undefined ? 'It works' : `It works, and has ${counted(tools, 'tool')}`)
      else toastError('It does not work', new Error(error ?? 'The service said no more.'))
      return changed()
    },
    onError: (error) => toastError('It could not be tested', error),
  })
  const change = useMutation({
    mutationFn: ({ input }: { input: UpdateConnectionInput; says: string; back?: UpdateConnectionInput }) =>
      runyard.connections.update(id, input),
    onSuccess: (_, { says, back }) => {
      toast(says, back && (() => change.mutate({ input: back, says: 'As it was before' })))
      return changed()
    },
    onError: (error) => toastError('Nothing was changed', error),
  })
  const isOff = status === 'disabled'
  const cannotTest = cannot ?? (isOff ? 'It is switched off.' : undefined)
  const tryIt = () => cannotTest === undefined && !test.isPending && test.mutate()
  useKeys([{ keys: 't', says: 'Test the connection', where: 'Connection', run: tryIt }])
  useCommands([{ id: 'test-connection', label: `Test ${name}`, icon: 'check', unable: cannotTest, run: tryIt }])
  const copies = useCopyAs({ operation: 'testConnection', params: { connection_id: id } }, { isOffered: false })
  return (
    <>
      <Button icon="check" keys={['T']} isBusy={test.isPending} unable={cannotTest} onClick={tryIt}>
        Test
      </Button>
      <Menu
        label="Connection"
        trigger={<Button kind="quiet" icon="more" aria-label="More" />}
        items={[
          { label: 'Rename…', icon: 'edit', unable: cannot, onSelect: () => setDialog('rename') },
          {
            label: shared ? 'Make it private' : 'Share it with the team',
            icon: shared ? 'lock' : 'members',
            unable: cannot,
            onSelect: () =>
              change.mutate({
                input: { shared: !shared },
                says: shared ? 'Only runs of its maker use it now' : 'The whole team may use it now',
                back: { shared },
              }),
          },
          {
            label: isOff ? 'Switch it on' : 'Switch it off',
            icon: isOff ? 'play' : 'pause',
            unable: cannot,
            onSelect: () =>
              change.mutate({
                input: { status: isOff ? 'active' : 'disabled' },
                says: isOff ? `${name} is on` : `${name} is off: calls with it fail`,
                ...(status !== 'action_required' && { back: { status: isOff ? 'disabled' : 'active' } as const }),
              }),
          },
          { label: 'Remove…', icon: 'trash', unable: cannot, onSelect: () => setDialog('remove') },
          ...copies.map(({ form, copy }) => ({
            label: `Copy the test as ${form}`,
            icon: 'copy' as const,
            onSelect: copy,
          })),
        ]}
      />
      {dialog === 'rename' && <RenameConnection connection={connection} onClose={() => setDialog(undefined)} />}
      {dialog === 'remove' && <RemoveConnection connection={connection} onClose={() => setDialog(undefined)} />}
    </>
  )
}
