// When an agent gets suggestions: off, or after how many failed runs.
import type { SuggestionSettings } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Field, Input, Problem } from '../../../parts/Field.tsx'
import { isAmount } from '../../../parts/isAmount.ts'
import { Shown } from '../../../parts/states.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { suggestionSettingsQuery } from '../../../queries/suggestions.ts'
import { FormCard } from '../FormCard.tsx'
import form from '../FormCard.module.css'

export function SettingsCard({ agentId }: { agentId: string }) {
  const settings = useQuery(suggestionSettingsQuery(agentId))
  return (
    <Shown query={settings} what="the settings" rows={4}>
      {(found) => <Settings key={JSON.stringify(found)} agentId={agentId} settings={found} />}
    </Shown>
  )
}

const isCount = (text: string, least: number) => /^\d{1,3}$/.test(text) && Number(text) >= least && Number(text) <= 100

function Settings({ agentId, settings }: { agentId: string; settings: SuggestionSettings }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const [failures, setFailures] = useState(String(settings.failures))
  const [ofRuns, setOfRuns] = useState(String(settings.of_runs))
  const [replayRuns, setReplayRuns] = useState(String(settings.replay_runs))
  const [cost, setCost] = useState(settings.max_replay_cost_usd ?? '')
  const save = useMutation({
    mutationFn: (is_on: boolean) =>
      runyard.suggestions.putSettings(
        agentId,
        is_on
          ? {
              is_on,
              failures: Number(failures),
              of_runs: Number(ofRuns),
              replay_runs: Number(replayRuns),
              max_replay_cost_usd: cost.trim() === '' ? null : cost.trim(),
            }
          : { is_on },
      ),
    onSuccess({ suggestion_settings }) {
      queries.setQueryData(suggestionSettingsQuery(agentId).queryKey, suggestion_settings)
      toast(suggestion_settings.is_on ? 'Suggestions are on' : 'Suggestions are off')
    },
  })
  const isRight =
    isCount(failures, 1) &&
    isCount(ofRuns, Number(failures)) &&
    isCount(replayRuns, 0) &&
    (cost.trim() === '' || isAmount(cost.trim()))
  const cannot = unable('agents:write')
  return (
    <FormCard
      title="Suggestions"
      facts={settings.is_on ? 'on' : 'off'}
      what="A model writes each draft, and the models of the draft answer in its replay. The team pays for both. Nothing goes live by itself."
      verb={settings.is_on ? 'Change' : 'Switch on'}
      unable={
        cannot ?? (isRight ? undefined : 'The failed runs are at most the last runs, up to 100; the cost is an amount.')
      }
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate(true)}
      aside={
        settings.is_on && (
          <Button kind="no" isBusy={save.isPending} unable={cannot} onClick={() => save.mutate(false)}>
            Switch off
          </Button>
        )
      }
    >
      <div className={form.two}>
        <Field label="Failed runs">
          <Input
            type="number"
            min={1}
            max={100}
            value={failures}
            onChange={(event) => setFailures(event.target.value)}
          />
        </Field>
        <Field label="Of the last runs">
          <Input type="number" min={1} max={100} value={ofRuns} onChange={(event) => setOfRuns(event.target.value)} />
        </Field>
        <Field label="Replay last runs">
          <Input
            type="number"
            min={0}
            max={100}
            value={replayRuns}
            onChange={(event) => setReplayRuns(event.target.value)}
          />
        </Field>
        <Field label="A replay may cost" hint="USD; empty: no limit">
          <Input inputMode="decimal" value={cost} onChange={(event) => setCost(event.target.value)} />
        </Field>
      </div>
      {settings.held_back !== null && <Problem>{settings.held_back}</Problem>}
    </FormCard>
  )
}
