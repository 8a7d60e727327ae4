// Chooses an agent: the first ones by name, others by a word of their name.
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { agentsQuery } from '../queries/agents.ts'
import { Choices } from './Choices.tsx'
import { Failed, Skeleton } from './states.tsx'

const shownMax = 50

interface AgentChoicesProps {
  chosen: string | undefined
  onChoose: (agentId: string) => void
  /** Only those that have a live build. */
  isForRun?: boolean
}

export function AgentChoices({ chosen, onChoose, isForRun = false }: AgentChoicesProps) {
  const [text, setText] = useState('')
  const search = useDeferredValue(text.trim())
  const { data, error, refetch } = useQuery(agentsQuery(search === '' ? undefined : search, { limit: shownMax }))
  if (error) return <Failed error={error} onRetry={() => void refetch()} />
  const fitting = data?.agents.filter(({ live_build_id }) => !isForRun || live_build_id !== null) ?? []
  if (data?.total === 0 && search === '')
    return <p className="dim">There is no agent yet. Make one on the screen Agents.</p>
  return (
    <>
      <Choices
        what="agents"
        choices={fitting.map(({ id, name, description }) => ({
          value: id,
          label: name,
          ...(description && { detail: description }),
        }))}
        chosen={chosen === undefined ? [] : [chosen]}
        onSearch={setText}
        onChoose={onChoose}
      />
      {!data && <Skeleton rows={5} what="agents" />}
    </>
  )
}
