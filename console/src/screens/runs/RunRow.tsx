// One run of the list: a row of the table, on a phone a card.
import type { ListedRunDetails, Run } from '@runyard/sdk'
import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import { classes } from '../../look/classes.ts'
import { counted, dollars } from '../../parts/amounts.ts'
import { useCopied } from '../../parts/CopyText.tsx'
import { Meter } from '../../parts/Meter.tsx'
import { shapeOf, Status, statusWord } from '../../parts/Status.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Elapsed, Time } from '../../parts/Time.tsx'
import { issuesOf, nowOrWhy } from './nowOrWhy.ts'
import style from './RunsTable.module.css'
import { sourceWords } from './words.ts'

interface RunRowProps {
  run: Run
  details: ListedRunDetails | undefined
  hasLeft: boolean
  isSelected: boolean
  zone: string
  /** Which time the column of times shows. */
  time: 'created_at' | 'completed_at'
  onSelect: (id: string, isSelected: boolean, isRange: boolean) => void
}

export const RunRow = memo(function RunRow({ run, details, hasLeft, isSelected, zone, time, onSelect }: RunRowProps) {
  const shape = shapeOf(run)
  const at = run[time]
  return (
    <tr data-run={run.id} className={classes(isSelected && style.selected, hasLeft && style.left, style[shape])}>
      <td className={style.check}>
        <input
          type="checkbox"
          aria-label={`Select run ${run.run_number}`}
          checked={isSelected}
          onChange={() => {}}
          onClick={(event) => onSelect(run.id, !isSelected, event.shiftKey)}
        />
      </td>
      <td className={style.status}>
        <Status run={run} />
      </td>
      <td className={style.title}>
        <span className={style.titleLine}>
          <Link to="/runs/$runId" params={{ runId: run.id }} title={run.title}>
            {run.title}
          </Link>
          <RunNumber run={run} />
          <Issues summary={run.eval_summary} />
          {hasLeft && <Tag title="It changed since this list was opened.">no longer fits</Tag>}
        </span>
      </td>
      <td className={style.now}>
        <Now run={run} details={details} zone={zone} />
      </td>
      <td className={style.agent}>
        <Link to="/agents/$agentId" params={{ agentId: run.agent_id }} title={run.agent_name}>
          {run.agent_name}
        </Link>
        {details && <span className="dim"> {details.build_number}</span>}
      </td>
      <td className={style.source}>{sourceWords[run.source]}</td>
      <td className={style.time}>{at === null ? '' : <Time at={at} />}</td>
      <td className={style.took}>
        {run.started_at !== null && <Elapsed since={run.started_at} until={run.completed_at} />}
      </td>
      <td className={classes(style.cost, run.usage.cost_usd === 0 && style.nothing)}>{dollars(run.usage.cost_usd)}</td>
    </tr>
  )
})

/** The number that people say; a click copies the id that programs want. */
function RunNumber({ run }: { run: Run }) {
  const [isCopied, copyIt] = useCopied()
  return (
    <button
      type="button"
      className={style.number}
      title={`Copy run id ${run.id}`}
      aria-label={isCopied ? `Copied the id of run ${run.run_number}` : `Run ${run.run_number}, copy its id`}
      tabIndex={-1}
      onClick={() => void copyIt(run.id)}
    >
      {isCopied ? 'copied' : run.run_number}
    </button>
  )
}

function Issues({ summary }: { summary: unknown }) {
  const issues = issuesOf(summary)
  if (issues === 0) return null
  return (
    <Tag tone="fail" title={`The latest evaluation found ${counted(issues, 'issue')}`}>
      {counted(issues, 'issue')}
    </Tag>
  )
}

function Now({ run, details, zone }: Pick<RunRowProps, 'run' | 'details' | 'zone'>) {
  const { tone, code, text } = nowOrWhy({ ...run, details }, zone)
  return (
    <span className={classes(style.nowLine, style[tone])} title={code === undefined ? text : `${code}: ${text}`}>
      {tone === 'alive' && <Meter share={undefined} says={statusWord(run.status)} width={56} />}
      {code !== undefined && <code>{code}</code>}
      <span className="cut">{text}</span>
    </span>
  )
}
