// Which build of the agent runs: the live one, a draft, or an older one.
import type { Build } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { runyard } from '../../app/client.ts'
import { Field, Select } from '../../parts/Field.tsx'

interface BuildChoiceProps {
  agentId: string
  /** Undefined: the live one. */
  buildId: string | undefined
  onChange: (buildId: string | undefined) => void
  /** Tells which build it is, with its limits. */
  onBuild: (build: Build | undefined) => void
}

const words = { live: 'live', draft: 'draft', historic: 'earlier' }

export function BuildChoice({ agentId, buildId, onChange, onBuild }: BuildChoiceProps) {
  const { data: builds = [] } = useQuery({
    queryKey: ['agent', agentId, 'builds', 'newest'],
    queryFn: async ({ signal }) =>
      (await runyard.agents.listRevisions(agentId, { limit: 50 }, { signal }).page()).builds,
  })
  const live = builds.find(({ status }) => status === 'live')
  const chosen = buildId === undefined ? live : builds.find(({ id }) => id === buildId)
  const tell = useEffectEvent(onBuild)
  useEffect(() => tell(chosen), [chosen])
  const options = builds
    .filter((build) => build !== live)
    .map(({ id, revision_number, status, name }) => ({
      value: id,
      label: `${revision_number} · ${words[status]} · ${name}`,
    }))
  return (
    <Field label="Build" hint={chosen?.status === 'draft' ? 'A draft runs once, without becoming live.' : undefined}>
      <Select
        value={buildId ?? ''}
        onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
        options={[{ value: '', label: live ? `${live.revision_number} · live · ${live.name}` : 'live' }, ...options]}
      />
    </Field>
  )
}
