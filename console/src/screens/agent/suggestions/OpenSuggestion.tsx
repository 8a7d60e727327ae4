// One suggestion: what would change, the runs behind it, what the replay says, and the decision.
import type { Suggestion } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { counted, money } from '../../../parts/amounts.ts'
import { Shown } from '../../../parts/states.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { Time } from '../../../parts/Time.tsx'
import { suggestionQuery } from '../../../queries/suggestions.ts'
import { BuildDiff } from '../builds/BuildDiff.tsx'
import tab from '../tab.module.css'
import { Decision } from './Decision.tsx'
import style from './SuggestionsTab.module.css'

export function OpenSuggestion({ agentId, suggestionId }: { agentId: string; suggestionId: string }) {
  const suggestion = useQuery(suggestionQuery(agentId, suggestionId))
  return (
    <Shown query={suggestion} what="the suggestion" rows={4}>
      {(found) => (
        <div className={style.whole}>
          {found.reason !== null && <p className={tab.why}>{found.reason}</p>}
          <Questions suggestion={found} />
          <Verdict suggestion={found} />
          <section>
            <h3>Build {found.draft_revision_number} would change</h3>
            <BuildDiff diff={found.diff} />
          </section>
          <section>
            <h3>Runs behind it</h3>
            <ul className={style.runs}>
              {found.runs.map(({ run_id, run_number, run_title, run_ended_at, comment }) => (
                <li key={run_id}>
                  <Link className="link" to="/runs/$runId" params={{ runId: run_id }}>
                    {run_number} {run_title}
                  </Link>{' '}
                  <span className="dim small">
                    <Time at={run_ended_at} />
                  </span>
                  {comment !== null && <p className={tab.why}>{comment}</p>}
                </li>
              ))}
            </ul>
          </section>
          <Decision suggestion={found} />
        </div>
      )}
    </Shown>
  )
}

function Questions({ suggestion: { agent_id, draft_build_id, questions } }: { suggestion: Suggestion }) {
  if (questions.length === 0) return null
  return (
    <section>
      <h3>The builder asks</h3>
      <ul className={style.runs}>
        {questions.map(({ question }) => (
          <li key={question}>{question}</li>
        ))}
      </ul>
      <Link
        className="link"
        to="/agents/$agentId"
        params={{ agentId: agent_id }}
        search={{ build: draft_build_id, panel: 'builder' }}
      >
        Answer beside the draft
      </Link>
    </section>
  )
}

const verdicts = {
  helps: { tone: 'pass', text: 'It helps' },
  mixed: { tone: 'wait', text: 'It helps, and something else is worse' },
  no_difference: { tone: 'wait', text: 'No difference to the checks' },
  harms: { tone: 'fail', text: 'It harms' },
  unknown: { tone: 'wait', text: 'Not known whether it helps' },
} as const

function Verdict({ suggestion: { agent_id, replay, replay_id, replay_problem } }: { suggestion: Suggestion }) {
  if (!replay || replay_id === null)
    return replay_problem === null ? null : <p className={tab.why}>Not replayed: {replay_problem}</p>
  const { runs, runs_same, runs_changed, runs_not_replayed, behind_passed, behind_replayed, runs_worse, cost_usd } =
    replay
  const { tone, text } = verdicts[replay.says]
  return (
    <section>
      <h3>Replay {replay.state === 'running' ? <Tag>under way</Tag> : <Tag tone={tone}>{text}</Tag>}</h3>
      <p className={tab.why}>
        {behind_passed !== null &&
          `The check passes in ${behind_passed} of the ${counted(behind_replayed, 'run')} behind it that were replayed. `}
        {runs_worse === 0
          ? 'No run fails a check that it passed.'
          : `${counted(runs_worse, 'run')} of ${runs} fail a check that passed.`}{' '}
        {counted(runs, 'run')}: {runs_same} the same, {runs_changed} changed, {runs_not_replayed} not replayed
        {Number(cost_usd) > 0 && `, for ${money(Number(cost_usd))}`}.{' '}
        <Link
          className="link"
          to="/agents/$agentId"
          params={{ agentId: agent_id }}
          search={{ tab: 'replays', replay: replay_id }}
        >
          What differs
        </Link>
      </p>
    </section>
  )
}
