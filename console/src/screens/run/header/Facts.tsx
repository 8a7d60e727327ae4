// The facts of a run in one line: whose it is, since when, and how much of its limits it has used.
import type { GetRunAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { classes } from '../../../look/classes.ts'
import { count, dollars, duration } from '../../../parts/amounts.ts'
import { CopyText } from '../../../parts/CopyText.tsx'
import { Meter } from '../../../parts/Meter.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { Elapsed, Time } from '../../../parts/Time.tsx'
import { isEnded } from '../../../parts/Status.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { runAroundQuery } from '../../../queries/run.ts'
import style from './Facts.module.css'

type Run = GetRunAnswer['run']

export function Facts({ run, activeMs }: { run: Run; activeMs: number | undefined }) {
  const { usage, limits } = run
  return (
    <dl className={style.facts}>
      <Fact name="Agent">
        <AgentAndBuild run={run} />
      </Fact>
      {run.case_id !== null && (
        <Fact name="Case">
          <Link className={classes('link', 'cut')} to="/cases/$caseId" params={{ caseId: run.case_id }}>
            {visible(run.case_title ?? run.case_id)}
          </Link>{' '}
          <CopyText text={run.case_id} what="case id" shown="" />
        </Fact>
      )}
      <Fact name={run.started_at === null ? 'Created' : 'Started'} isLess>
        <Time at={run.started_at ?? run.created_at} kind="clock" />, <Time at={run.started_at ?? run.created_at} />
      </Fact>
      {run.started_at !== null && isEnded(run.status) && (
        <Fact name="Took" isLess>
          <Elapsed since={run.started_at} until={run.completed_at} />
        </Fact>
      )}
      {activeMs !== undefined && (
        <Fact name="Active" title="Time at work; waits do not count">
          <b>{duration(activeMs)}</b> of {duration(limits.max_duration_s * 1000)}
        </Fact>
      )}
      <Cost usedUsd={usage.cost_usd} limit={limits.max_cost_usd} />
      <Fact name="Steps" isLess>
        <b>{count(usage.steps)}</b> of {count(limits.max_steps)}
      </Fact>
      {usage.input_tokens + usage.output_tokens > 0 && (
        <Fact name="Tokens" isLess title={`${count(usage.input_tokens)} read, ${count(usage.output_tokens)} written`}>
          <b>{count(usage.input_tokens + usage.output_tokens)}</b>
          {limits.max_tokens !== null && ` of ${count(limits.max_tokens)}`}
        </Fact>
      )}
      {run.parent_run_id !== null && (
        <Fact name="Started by">
          <Link className="link" to="/runs/$runId" params={{ runId: run.parent_run_id }}>
            another run
          </Link>
          {run.parent_step !== null && `, step ${run.parent_step}`}
        </Fact>
      )}
      {run.retry_of_run_id !== null && (
        <Fact name="Retry of">
          <Link
            className="link"
            to="/runs/$runId"
            params={{ runId: run.retry_of_run_id }}
            search={run.retried_from_step === null ? {} : { step: run.retried_from_step }}
          >
            another run
          </Link>
          {run.retried_from_step !== null && `, from step ${run.retried_from_step}`}
        </Fact>
      )}
    </dl>
  )
}

function Fact({
  name,
  isLess,
  title,
  children,
}: {
  name: string
  /** Left out where there is little room. */
  isLess?: boolean
  title?: string
  children: ReactNode
}) {
  return (
    <div className={classes(isLess && style.less)} title={title}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function AgentAndBuild({ run }: { run: Run }) {
  const { data } = useQuery(runAroundQuery(run))
  return (
    <>
      <Link
        className={classes('link', 'cut')}
        to="/agents/$agentId"
        params={{ agentId: run.agent_id }}
        title={run.agent_name}
      >
        {visible(run.agent_name)}
      </Link>
      {data && (
        <>
          , build {data.build.revision_number}{' '}
          {data.agent.live_build_id === data.build.id && <Tag tone="live">live</Tag>}
          {data.build.status === 'draft' && <Tag tone="wait">draft</Tag>}
        </>
      )}
    </>
  )
}

function Cost({ usedUsd, limit }: { usedUsd: number; limit: string | null }) {
  const most = limit === null ? undefined : Number(limit)
  if (most === undefined)
    return (
      <Fact name="Cost">
        <b>{dollars(usedUsd)}</b> USD
      </Fact>
    )
  const says = `${dollars(usedUsd)} of ${dollars(most)} USD`
  return (
    <Fact name="Cost">
      <b>{dollars(usedUsd)}</b> of {dollars(most)} USD
      <span className={style.meter}>
        <Meter share={most > 0 ? usedUsd / most : 1} says={says} />
      </span>
    </Fact>
  )
}
