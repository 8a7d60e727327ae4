// Models of the team: whose keys pay for them, which ones agents may use, and the default.
import type { ModelKey } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { Confirm } from '../../parts/Dialog.tsx'
import { Cell, Row, RowTable, RowTableHead } from '../../parts/RowTable.tsx'
import { NotAllowed, Shown } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { modelKeysQuery, modelSettingsQuery } from '../../queries/people.ts'
import { ModelKeyDialog } from './ModelKeyDialog.tsx'
import { ModelRules } from './ModelRules.tsx'
import style from './PeopleScreen.module.css'
import { providerNames, type ModelProvider } from './providerNames.ts'

const ofServer = { server: 'the server’s key', none: 'no key: cannot be used' }

export function Models() {
  const { unable } = useSession()
  const cannot = unable('keys:manage')
  const keys = useQuery({ ...modelKeysQuery, enabled: cannot === undefined })
  const settings = useQuery(modelSettingsQuery)
  const [giving, setGiving] = useState<ModelProvider>()
  const [ending, setEnding] = useState<ModelKey>()
  if (cannot !== undefined) return <NotAllowed says={cannot} />
  const keyOf = (provider: string) => keys.data?.model_keys.find((key) => key.provider === provider)
  return (
    <div className={style.parts}>
      <section aria-label="Keys of providers">
        <RowTableHead says="A key of your own goes before the server’s. It is tested when it is saved, and never shown again." />
        <Shown query={settings} what="providers" rows={4}>
          {({ model_settings }) => (
            <RowTable heads={['Provider', 'Asked with', 'Tested']}>
              {model_settings.providers.map(({ provider, key }) => (
                <ProviderRow
                  key={provider}
                  provider={provider}
                  own={keyOf(provider)}
                  otherwise={key === 'team' ? 'your own key' : ofServer[key]}
                  onGive={() => setGiving(provider)}
                  onEnd={setEnding}
                />
              ))}
            </RowTable>
          )}
        </Shown>
      </section>
      <Shown query={settings} what="rules" rows={3}>
        {({ model_settings }) => <ModelRules settings={model_settings} />}
      </Shown>
      {giving && <ModelKeyDialog provider={giving} own={keyOf(giving)} onClose={() => setGiving(undefined)} />}
      {ending && <EndKey modelKey={ending} onClose={() => setEnding(undefined)} />}
    </div>
  )
}

interface ProviderRowProps {
  provider: ModelProvider
  own: ModelKey | undefined
  /** Without a key of the team. */
  otherwise: string
  onGive: () => void
  onEnd: (key: ModelKey) => void
}

function ProviderRow({ provider, own, otherwise, onGive, onEnd }: ProviderRowProps) {
  const queries = useQueryClient()
  const test = useMutation({
    mutationFn: (id: string) => runyard.modelKeys.test(id),
    onSuccess: ({ success, error }) => {
      if (success) toast(`${providerNames[provider]} takes the key`)
      else toastError('The key was not taken', new Error(error))
      void queries.invalidateQueries({ queryKey: ['models'] })
    },
    onError: (error) => toastError('The key was not tested', error),
  })
  return (
    <Row
      actions={
        <>
          {own && (
            <Button kind="quiet" isBusy={test.isPending} onClick={() => test.mutate(own.id)}>
              Test
            </Button>
          )}
          <Button kind="quiet" icon="keys" onClick={onGive}>
            {own ? 'Replace' : 'Give a key'}
          </Button>
          {own && (
            <Button kind="quiet" icon="trash" onClick={() => onEnd(own)}>
              Delete
            </Button>
          )}
        </>
      }
    >
      <Cell>{providerNames[provider]}</Cell>
      <Cell of="Asked with">
        {own ? (
          <>
            your own key <code>{own.hint}</code>
            {own.base_url !== null && <> at {own.base_url}</>}
          </>
        ) : (
          otherwise
        )}
      </Cell>
      <Cell of="Tested">
        {own ? (
          <>
            <Time at={own.tested_at} />{' '}
            {own.problem !== null && (
              <Tag tone="fail" title={own.problem}>
                not taken
              </Tag>
            )}
          </>
        ) : (
          <span className="dim">no key of yours</span>
        )}
      </Cell>
    </Row>
  )
}

function EndKey({ modelKey, onClose }: { modelKey: ModelKey; onClose: () => void }) {
  const queries = useQueryClient()
  const end = useMutation({
    mutationFn: () => runyard.modelKeys.delete(modelKey.id),
    onSuccess: () => {
      toast('The key is deleted')
      onClose()
      void queries.invalidateQueries({ queryKey: ['models'] })
    },
    onError: (error) => toastError('The key is still there', error),
  })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Delete the key for ${providerNames[modelKey.provider]}?`}
      verb="Delete"
      isBusy={end.isPending}
      onConfirm={() => end.mutate()}
    >
      Runs ask this provider with the server’s key from now on. Where the server has none, its models cannot be used.
    </Confirm>
  )
}
