// The settings of a build: model, tools, limits and approvals as forms; everything as JSON. They are saved with the procedure.
import type { BuildConfig } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf } from '../../../app/client.ts'
import { Button } from '../../../parts/Button.tsx'
import { Card } from '../../../parts/Card.tsx'
import { Field, Input, Problem } from '../../../parts/Field.tsx'
import { agentNamesQuery, pluginsQuery } from '../../../queries/agents.ts'
import { useDraft } from '../draft/DraftProvider.tsx'
import { withData } from '../draft/buildConfig.ts'
import { ApprovalRules } from './ApprovalRules.tsx'
import { CheckList } from './CheckList.tsx'
import { ConnectionChoices } from './ConnectionChoices.tsx'
import { limitNames, limitOf, listOf, modelOf, withLimit, withModel, type LimitName } from './settings.ts'
import { SettingsJson } from './SettingsJson.tsx'
import style from './SettingsPanel.module.css'

/** What a build has that names no plugins: as the service has it. */
const usualPlugins = ['sandbox', 'human', 'memory', 'cases']

const limitLabels: Record<LimitName, { label: string; hint: string }> = {
  max_steps: { label: 'Steps', hint: '200 unless given' },
  max_duration_s: { label: 'Time, s', hint: '3,600 unless given; waiting is not counted' },
  max_cost_usd: { label: 'Cost, USD', hint: 'a model with a price' },
  max_tokens: { label: 'Tokens', hint: 'none unless given' },
  max_concurrent_runs: { label: 'Runs at once', hint: 'as many as the team has' },
}

export function SettingsPanel({ isReadOnly }: { isReadOnly: boolean }) {
  const { working, copy, checked } = useDraft()
  const [isJson, setJson] = useState(false)
  const { config } = working
  const problems = checked?.answer.config_problems ?? []
  const problemAt = (path: string) => problems.find((one) => one.path.startsWith(path))?.message
  const change = (next: BuildConfig) => copy.edit(next)
  const known = ['data.models', 'data.plugins', 'data.connections', 'data.subAgents', 'data.limits', 'data.approvals']
  const others = problems.filter(({ path }) => !known.some((one) => path.startsWith(one)))
  return (
    <fieldset className={style.settings} disabled={isReadOnly}>
      <legend className="forReaders">Settings of the build</legend>
      {others.map(({ path, message }) => (
        <Problem key={path + message}>
          {path}: {message}
        </Problem>
      ))}
      <Card title="Model">
        <div className={style.fields}>
          <Field
            label="Model"
            hint="provider:model, or builtin:runbook, which carries out the steps and needs no key. Several with commas between them: the next is asked where one cannot answer. Empty: the default of the team."
            problem={problemAt('data.models')}
          >
            <Input
              value={modelOf(config) ?? ''}
              maxLength={1000}
              placeholder="the default"
              spellCheck={false}
              onChange={(event) => change(withModel(config, event.target.value))}
            />
          </Field>
        </div>
      </Card>
      <Card title="Tools" facts="a block brings its own">
        <Plugins config={config} problem={problemAt('data.plugins')} onChange={change} />
      </Card>
      <Card title="Connections">
        <ConnectionChoices config={config} problem={problemAt('data.connections')} onChange={change} />
      </Card>
      <Card title="Agents it may start">
        <SubAgents config={config} problem={problemAt('data.subAgents')} onChange={change} />
      </Card>
      <Card title="Approvals" facts="before a tool is called">
        <ApprovalRules
          config={config}
          problems={problems.filter(({ path }) => path.startsWith('data.approvals'))}
          onChange={change}
        />
      </Card>
      <Card title="Limits of a run">
        <div className={style.limits}>
          {limitNames.map((name) => (
            <Field
              key={name}
              label={limitLabels[name].label}
              hint={limitLabels[name].hint}
              problem={problemAt(`data.limits.${name}`)}
            >
              <Input
                inputMode="decimal"
                value={limitOf(config, name)}
                onChange={(event) => change(withLimit(config, name, event.target.value))}
              />
            </Field>
          ))}
        </div>
      </Card>
      <Button icon="edit" onClick={() => setJson(true)}>
        Everything as JSON
      </Button>
      {isJson && <SettingsJson isReadOnly={isReadOnly} onClose={() => setJson(false)} />}
    </fieldset>
  )
}

interface ListProps {
  config: BuildConfig
  problem: string | undefined
  onChange: (config: BuildConfig) => void
}

function Plugins({ config, problem, onChange }: ListProps) {
  const { data: plugins, error } = useQuery(pluginsQuery)
  const chosen = listOf(config, 'plugins') ?? usualPlugins
  if (!plugins) return <p className={style.fields}>{error ? messageOf(error) : 'Loading…'}</p>
  const unknown = chosen.filter((name) => !plugins.some((one) => one.name === name))
  return (
    <CheckList
      label="Tools"
      problem={problem}
      choices={[
        ...plugins.map(({ name, title, description, tools }) => ({
          value: name,
          label: title,
          detail: `${description} ${tools.map((tool) => tool.name).join(', ')}`,
        })),
        ...unknown.map((name) => ({ value: name, label: name, detail: 'This server does not have it.' })),
      ]}
      chosen={chosen}
      onChange={(next) => onChange(withData(config, 'plugins', isUsual(next) ? undefined : next))}
    />
  )
}

const isUsual = (names: string[]): boolean =>
  names.length === usualPlugins.length && usualPlugins.every((name) => names.includes(name))

function SubAgents({ config, problem, onChange }: ListProps) {
  const { working } = useDraft()
  const { data: agents, error } = useQuery(agentNamesQuery)
  const chosen = listOf(config, 'subAgents') ?? []
  if (!agents) return <p className={style.fields}>{error ? messageOf(error) : 'Loading…'}</p>
  const others = agents.filter(({ id }) => id !== working.base.agent_id || chosen.includes(id))
  const unknown = chosen.filter((id) => !agents.some((one) => one.id === id))
  return (
    <CheckList
      label="Agents it may start"
      problem={problem}
      empty="There is no other agent."
      choices={[
        ...others.map(({ id, name, description }) => ({ value: id, label: name, detail: description ?? '' })),
        ...unknown.map((id) => ({ value: id, label: id, detail: 'Not among the newest agents, or deleted.' })),
      ]}
      chosen={chosen}
      onChange={(next) => onChange(withData(config, 'subAgents', next.length === 0 ? undefined : next))}
    />
  )
}
