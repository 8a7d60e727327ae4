// Makes another agent with the same build.
import type { Agent } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { Field, Input } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { toast } from '../../parts/toasts.tsx'
import { brief } from './brief.ts'

type Copied = Pick<Agent, 'id' | 'name' | 'description' | 'memory_enabled' | 'live_build_id'>

const lengthMax = 100

export function DuplicateAgent({ agent, onClose }: { agent: Copied; onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState(`Copy of ${agent.name}`.slice(0, lengthMax))
  const make = useMutation({
    mutationFn: () =>
      runyard.agents.create({
        name: name.trim(),
        description: agent.description,
        memory_enabled: agent.memory_enabled,
        source_build_id: agent.live_build_id,
      }),
    onSuccess({ agent_id }) {
      void queries.invalidateQueries({ queryKey: ['agents'] })
      toast(`Made “${brief(name.trim())}”`)
      onClose()
      void navigate({ to: '/agents/$agentId', params: { agentId: agent_id } })
    },
  })
  return (
    <FormDialog
      title={`Duplicate “${brief(agent.name)}”`}
      onClose={onClose}
      width="narrow"
      verb="Duplicate"
      unable={name.trim() === '' ? 'Give it a name first.' : undefined}
      isBusy={make.isPending}
      error={make.error}
      onSend={() => make.mutate()}
    >
      <p>The copy begins with the live build. Schedules, memory and triggers are not copied.</p>
      <Field label="Name of the copy" isRequired>
        <Input value={name} maxLength={lengthMax} onChange={(event) => setName(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
