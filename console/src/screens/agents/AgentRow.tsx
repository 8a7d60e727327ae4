// One agent in the list.
import type { AgentFigures, ListedAgent } from '@runyard/sdk'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useSession } from '../../app/session.tsx'
import { openStartRun } from '../../app/startingRun.ts'
import { classes } from '../../look/classes.ts'
import { StatusShape } from '../../look/StatusShape.tsx'
import { count, dollars, duration } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { Sparkline } from '../../parts/Sparkline.tsx'
import { shapeOf, statusWord } from '../../parts/Status.tsx'
import table from '../../parts/Table.module.css'
import { Tag } from '../../parts/Tag.tsx'
import { visible } from '../../parts/visibleText.ts'
import { Time } from '../../parts/Time.tsx'
import style from './AgentsScreen.module.css'
import { brief } from './brief.ts'
import { DeleteAgent } from './DeleteAgent.tsx'
import { DuplicateAgent } from './DuplicateAgent.tsx'

export function AgentRow({ agent, figures }: { agent: ListedAgent; figures: AgentFigures | undefined }) {
  const { unable } = useSession()
  const [dialog, setDialog] = useState<'duplicate' | 'delete'>()
  const { id, name, description, runs_count, latest_build } = agent
  const live = figures?.live_build ?? (latest_build.status === 'live' ? latest_build : undefined)
  const last = figures?.last_run
  const cannot = unable('agents:write')
  return (
    <tr data-agent={id}>
      <td className={style.agent}>
        <Link to="/agents/$agentId" params={{ agentId: id }} className={style.name} title={name}>
          {name}
        </Link>
        {figures?.has_new_draft && (
          <Tag tone="wait" title="The newest build is a draft that differs from the live one">
            draft {latest_build.revision_number}
          </Tag>
        )}
        {agent.paused_at !== null && (
          <Tag tone="wait" title={visible(agent.paused_reason ?? 'No run of its live build starts.')}>
            paused
          </Tag>
        )}
        {description && (
          <p className={style.description} title={description}>
            {description}
          </p>
        )}
      </td>
      <td className={style.build}>
        {live && (
          <>
            {live.revision_number} <span className="dim">{live.revision_name}</span>
          </>
        )}
      </td>
      <td className={style.last}>
        {last && (
          <Link to="/runs/$runId" params={{ runId: last.run_id }}>
            <StatusShape shape={shapeOf(last)} label={statusWord(last.status)} />
            <Time at={last.completed_at ?? last.created_at} />
          </Link>
        )}
      </td>
      <td className={style.week}>
        {figures && (
          <>
            <Sparkline days={figures.days} />
            <span>{successOf(figures)}</span>
          </>
        )}
      </td>
      <td className={classes(table.number, style.number)}>
        {figures?.median_cost_usd !== null && figures?.median_cost_usd !== undefined && (
          <>
            {dollars(figures.median_cost_usd)} <span className="dim">USD</span>
          </>
        )}
      </td>
      <td className={classes(table.number, style.number)}>
        {figures?.median_duration_ms !== null &&
          figures?.median_duration_ms !== undefined &&
          duration(figures.median_duration_ms)}
      </td>
      <td className={classes(table.number, style.number)}>
        {figures?.next_start_at && <Time at={figures.next_start_at} />}
      </td>
      <td className={classes(table.number, style.number)}>
        <Link
          to="/runs"
          search={{ agent_id: id }}
          className={style.runs}
          aria-label={`${runs_count} runs of ${brief(name)}`}
        >
          {count(runs_count)}
        </Link>
      </td>
      <td className={style.more}>
        <Menu
          label="Agent"
          trigger={<Button kind="quiet" icon="more" aria-label={`Actions of ${brief(name)}`} />}
          items={[
            {
              label: 'Start a run…',
              icon: 'play',
              unable: unable('runs:write'),
              onSelect: () => openStartRun({ agentId: id }),
            },
            { label: 'Duplicate…', icon: 'copy', unable: cannot, onSelect: () => setDialog('duplicate') },
            { label: 'Delete…', icon: 'trash', unable: cannot, onSelect: () => setDialog('delete') },
          ]}
        />
        {dialog === 'duplicate' && <DuplicateAgent agent={agent} onClose={() => setDialog(undefined)} />}
        {dialog === 'delete' && <DeleteAgent agent={agent} onClose={() => setDialog(undefined)} />}
      </td>
    </tr>
  )
}

/** The share of ended runs that completed; empty while none has ended. */
function successOf({ days }: AgentFigures): string {
  const completed = days.reduce((sum, day) => sum + day.completed, 0)
  const failed = days.reduce((sum, day) => sum + day.failed, 0)
  return completed + failed === 0 ? '' : `${Math.floor((completed / (completed + failed)) * 100)} %`
}
