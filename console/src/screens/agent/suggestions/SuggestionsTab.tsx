// What the builder suggests for an agent by itself, newest first, and when it does.
import type { ListedSuggestion } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { CopyAs } from '../../../parts/CopyAs.tsx'
import { Empty, Shown } from '../../../parts/states.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { Time } from '../../../parts/Time.tsx'
import { suggestionsQuery } from '../../../queries/suggestions.ts'
import type { TabProps } from '../AgentScreen.tsx'
import tab from '../tab.module.css'
import { OpenSuggestion } from './OpenSuggestion.tsx'
import { SettingsCard } from './SettingsCard.tsx'

const route = getRouteApi('/frame/agents/$agentId')

export default function SuggestionsTab({ agent }: TabProps) {
  const { suggestion: open } = route.useSearch()
  const suggestions = useQuery(suggestionsQuery(agent.id))
  return (
    <div className={tab.columns}>
      <div className={tab.page}>
        <header className={tab.head}>
          <h2>Suggestions</h2>
          <p>A check that fails again and again makes the builder write a draft. You decide.</p>
          <span className={tab.gap} />
          <CopyAs operation="listSuggestions" params={{ agent_id: agent.id }} />
        </header>
        <Shown query={suggestions} what="suggestions">
          {(rows) =>
            rows.length === 0 ? (
              <Empty icon="check" title="Nothing is suggested">
                Switch suggestions on, and a check that fails in several runs of the live build brings one.
              </Empty>
            ) : (
              <ul className={tab.rows}>
                {rows.map((suggestion: ListedSuggestion) => (
                  <Row key={suggestion.id} suggestion={suggestion} isOpen={suggestion.id === open} />
                ))}
              </ul>
            )
          }
        </Shown>
      </div>
      <aside className={tab.aside} aria-label="When there are suggestions">
        <SettingsCard agentId={agent.id} />
      </aside>
    </div>
  )
}

function Row({ suggestion, isOpen }: { suggestion: ListedSuggestion; isOpen: boolean }) {
  const navigate = route.useNavigate()
  const { id, agent_id, label, state, failed_runs, of_runs, created_at } = suggestion
  const toggle = () =>
    void navigate({ search: (now) => ({ ...now, suggestion: isOpen ? undefined : id }), replace: true })
  return (
    <li className={tab.row}>
      <div className={tab.line}>
        <button type="button" className={tab.open} aria-expanded={isOpen} onClick={toggle}>
          {label}
        </button>
        <span className="dim">
          not passed in {failed_runs} of {of_runs} runs
        </span>
        <span className={tab.gap} />
        <span className="dim small">
          <Time at={created_at} />
        </span>
        <Tag {...toneOf(state)}>{words[state]}</Tag>
      </div>
      {isOpen && <OpenSuggestion agentId={agent_id} suggestionId={id} />}
    </li>
  )
}

const words: Record<ListedSuggestion['state'], string> = {
  drafting: 'being written',
  replaying: 'being replayed',
  open: 'decide',
  accepted: 'accepted',
  rejected: 'rejected',
  stale: 'stale',
  failed: 'no draft',
}

const toneOf = (state: ListedSuggestion['state']): { tone?: 'pass' | 'wait' | 'fail' } =>
  state === 'open'
    ? { tone: 'wait' }
    : state === 'accepted'
      ? { tone: 'pass' }
      : state === 'failed'
        ? { tone: 'fail' }
        : {}
