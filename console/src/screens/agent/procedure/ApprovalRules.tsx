// Which calls of tools a person must allow: never, always, or when an expression holds.
import type { BuildConfig } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { Button } from '../../../parts/Button.tsx'
import { Input, Problem, Select } from '../../../parts/Field.tsx'
import { pluginsQuery } from '../../../queries/agents.ts'
import { approvalsOf, withApprovals, type ApprovalRule } from './settings.ts'
import style from './SettingsPanel.module.css'

interface ApprovalRulesProps {
  config: BuildConfig
  problems: { path: string; message: string }[]
  onChange: (config: BuildConfig) => void
}

const rules = [
  { value: 'always', label: 'Always' },
  { value: 'when', label: 'When …' },
  { value: 'never', label: 'Never' },
]

export function ApprovalRules({ config, problems, onChange }: ApprovalRulesProps) {
  const listId = useId()
  const { data: plugins = [] } = useQuery(pluginsQuery)
  const given = approvalsOf(config)
  const set = (at: number, next: ApprovalRule | undefined) =>
    onChange(withApprovals(config, next ? given.with(at, next) : given.toSpliced(at, 1)))
  const tools = plugins.flatMap((plugin) => plugin.tools.map(({ name }) => name))
  const free = tools.find((name) => !given.some(({ tool }) => tool === name)) ?? ''
  return (
    <div className={style.rules}>
      <datalist id={listId}>
        {tools.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
      {given.length === 0 && <p className="dim small">No call needs a person, but for the steps that ask one.</p>}
      {given.map(({ tool, rule, when }, at) => {
        const found = problems.find(({ path }) => path.startsWith(`data.approvals.${tool}`))
        return (
          <div key={at} className={style.rule}>
            <Input
              aria-label={`Tool of rule ${at + 1}`}
              list={listId}
              value={tool}
              spellCheck={false}
              onChange={(event) => set(at, { tool: event.target.value, rule, when })}
            />
            <Select
              aria-label={`When ${tool} asks`}
              options={rules}
              value={rule}
              onChange={(event) => set(at, { tool, rule: event.target.value as ApprovalRule['rule'], when })}
            />
            <Button
              kind="quiet"
              icon="trash"
              aria-label={`Remove the rule of ${tool}`}
              onClick={() => set(at, undefined)}
            />
            {rule === 'when' && (
              <span className={style.when}>
                <Input
                  aria-label={`Condition of ${tool}`}
                  placeholder="arguments.amount > 100"
                  value={when}
                  spellCheck={false}
                  onChange={(event) => set(at, { tool, rule, when: event.target.value })}
                />
              </span>
            )}
            {found && <Problem>{found.message}</Problem>}
          </div>
        )
      })}
      <div>
        <Button
          icon="plus"
          onClick={() => onChange(withApprovals(config, [...given, { tool: free, rule: 'always', when: '' }]))}
        >
          Add a rule
        </Button>
      </div>
    </div>
  )
}
