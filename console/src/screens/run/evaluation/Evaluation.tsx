// The evaluation of a run: what did not pass first, then every check, and a way to ask for another one.
import type { Evaluation as EvaluationOf, EvalResult, GetRunAnswer } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { StatusShape } from '../../../look/StatusShape.tsx'
import { Icon } from '../../../look/Icon.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Empty, Shown } from '../../../parts/states.tsx'
import { isEnded } from '../../../parts/Status.tsx'
import { Tag } from '../../../parts/Tag.tsx'
import { Time } from '../../../parts/Time.tsx'
import { toastError } from '../../../parts/toasts.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { runMarksQuery } from '../../../queries/evaluations.ts'
import { runEvaluationQuery } from '../../../queries/run.ts'
import { MarkButtons } from '../../evaluations/MarkButtons.tsx'
import { MarkNotes } from '../../evaluations/MarkNotes.tsx'
import style from './Evaluation.module.css'

type Run = GetRunAnswer['run']

export function Evaluation({ run }: { run: Run }) {
  const evaluation = useQuery(runEvaluationQuery(run))
  return (
    <Shown
      query={{ ...evaluation, data: evaluation.data === undefined ? undefined : { latest: evaluation.data } }}
      what="checks"
    >
      {({ latest }) =>
        latest === null ? (
          <Empty
            icon="evaluations"
            title="Not evaluated yet"
            action={<EvaluateNow run={run} isUnderWay={false} />}
            command={`runyard call evaluateRun --agent-id ${run.agent_id} --run-id ${run.id}`}
          >
            {isEnded(run.status)
              ? 'A run is checked soon after its end, by the rubrics of its build.'
              : 'A run is checked soon after its end. This one has not ended.'}
          </Empty>
        ) : (
          <Checks run={run} evaluation={latest} />
        )
      }
    </Shown>
  )
}

function Checks({ run, evaluation }: { run: Run; evaluation: EvaluationOf }) {
  const { summary, results, status, created_at: at } = evaluation
  const missed = results.filter(({ passed }) => passed === false)
  const others = results.filter(({ passed }) => passed !== false)
  return (
    <div className={style.evaluation}>
      <header className={style.head}>
        <p className={style.score}>
          {status === 'in_progress' ? (
            'Being evaluated…'
          ) : (
            <>
              <b>{summary.passed}</b> of {summary.total} checks passed
            </>
          )}
          <span className="dim small">
            <Time at={at} />
          </span>
        </p>
        <span className={style.acts}>
          <YourMark run={run} />
          <EvaluateNow run={run} isUnderWay={status === 'in_progress'} />
        </span>
      </header>
      <p className={style.comment}>{visible(summary.final_comment)}</p>
      <Marks runId={run.id} />
      {missed.length > 0 && (
        <section>
          <h2 className="caption">Issues</h2>
          <ul className={style.checks}>
            {missed.map((result) => (
              <Check key={result.flag} result={result} />
            ))}
          </ul>
        </section>
      )}
      {others.length > 0 && (
        <section>
          <h2 className="caption">Checks</h2>
          <ul className={style.checks}>
            {others.map((result) => (
              <Check key={result.flag} result={result} />
            ))}
          </ul>
        </section>
      )}
    </div>
  )
}

/** Everybody's mark, with what they wrote. */
function Marks({ runId }: { runId: string }) {
  const { data: marks } = useQuery(runMarksQuery(runId))
  if (!marks?.length) return null
  return (
    <section className={style.marks}>
      <h2 className="caption">Marks of people</h2>
      <MarkNotes marks={marks} />
    </section>
  )
}

/** What people think of it, beside what the checks found. */
function YourMark({ run }: { run: Run }) {
  const { profile } = useSession()
  const { data: marks } = useQuery(runMarksQuery(run.id))
  if (!marks) return null
  const own = marks.find(({ member_id }) => member_id === profile.id)?.verdict ?? null
  const total = (verdict: 'good' | 'bad') => marks.filter((mark) => mark.verdict === verdict).length
  return <MarkButtons runId={run.id} own={own} good={total('good')} bad={total('bad')} what={`run ${run.run_number}`} />
}

function Check({ result: { label, passed, severity, comment, flag, evidence } }: { result: EvalResult }) {
  return (
    <li className={style.check}>
      {passed === null ? (
        <Icon name="minus" label="does not apply" />
      ) : (
        <StatusShape shape={passed ? 'pass' : 'failed'} label={passed ? 'passed' : 'did not pass'} />
      )}
      <div>
        <b>{visible(label)}</b> <code className="dim small">{flag}</code>
        {comment !== null && <p className="sub">{visible(comment)}</p>}
        {evidence.length > 0 && (
          <p className="dim small">
            Shown by {evidence.length === 1 ? 'a message' : `${evidence.length} messages`} of the run.
          </p>
        )}
      </div>
      <Tag tone={passed === false && severity === 'critical' ? 'fail' : passed === false ? 'wait' : undefined}>
        {severity}
      </Tag>
    </li>
  )
}

function EvaluateNow({ run, isUnderWay }: { run: Run; isUnderWay: boolean }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const ask = useMutation({
    mutationFn: () => runyard.evaluations.evaluate(run.agent_id, run.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['runEvaluation', run.id] }),
    onError: (error) => toastError('The run could not be evaluated', error),
  })
  const cannot =
    unable('evals:write') ??
    (isEnded(run.status) ? undefined : 'The run has not ended. It is evaluated by itself when it does.')
  return (
    <Button icon="evaluations" unable={cannot} isBusy={ask.isPending || isUnderWay} onClick={() => ask.mutate()}>
      Evaluate now
    </Button>
  )
}
