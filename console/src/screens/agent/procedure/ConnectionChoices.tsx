// The connections that the runs of a build may use.
import type { BuildConfig } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { messageOf, runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { withData } from '../draft/buildConfig.ts'
import { CheckList } from './CheckList.tsx'
import { listOf } from './settings.ts'
import style from './SettingsPanel.module.css'

interface ConnectionChoicesProps {
  config: BuildConfig
  problem: string | undefined
  onChange: (config: BuildConfig) => void
}

export function ConnectionChoices({ config, problem, onChange }: ConnectionChoicesProps) {
  const { unable } = useSession()
  const whyNot = unable('connections:read')
  const { data: connections, error } = useQuery({
    queryKey: ['connections', 'names'],
    queryFn: async ({ signal }) => (await runyard.connections.list({ limit: 100 }, { signal }).page()).integrations,
    enabled: whyNot === undefined,
  })
  const chosen = listOf(config, 'connections') ?? []
  if (whyNot !== undefined) return <p className={style.fields}>{whyNot}</p>
  if (!connections) return <p className={style.fields}>{error ? messageOf(error) : 'Loading…'}</p>
  const unknown = chosen.filter((id) => !connections.some((one) => one.id === id))
  return (
    <CheckList
      label="Connections"
      problem={problem}
      empty="The team has no connection yet."
      choices={[
        ...connections.map(({ id, name, provider, status }) => ({
          value: id,
          label: name,
          detail: [provider, status].filter(Boolean).join(', '),
        })),
        ...unknown.map((id) => ({ value: id, label: id, detail: 'The team has no such connection.' })),
      ]}
      chosen={chosen}
      onChange={(next) => onChange(withData(config, 'connections', next.length === 0 ? undefined : next))}
    />
  )
}
