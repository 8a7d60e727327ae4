// Asks before something is done to many cases: to how many, which, and what becomes of them.
import type { BulkDeleteCasesInput, BulkUpdateCaseStatusAnswer, Queue } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf, runyard } from '../../../app/client.ts'
import { count, counted } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { priorities, priorityWords, type CasePriority } from '../../../parts/case/words.ts'
import { Dialog } from '../../../parts/Dialog.tsx'
import { Field, Problem, Select } from '../../../parts/Field.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { caseListQuery, queueAgentsQuery } from '../../../queries/queues.ts'
import type { CaseChoice } from '../apiFilter.ts'
import { filterWords } from '../filterWords.ts'
import { filterNames, type QueueSearch } from '../search.ts'
import style from './BulkCases.module.css'
import { bulkDone, bulkSays, bulkSkips, bulkVerbs, type BulkKind } from './kinds.ts'

/** Cases that somebody selected, or everything that fits. */
export type BulkOver = { ids: string[] } | { choice: CaseChoice; total: number; search: QueueSearch; zone: string }

interface BulkCasesProps {
  queue: Queue
  kind: BulkKind
  over: BulkOver
  onClose: () => void
  onBegun: () => void
}

interface Said {
  priority: CasePriority
  agentId: string
}

type Chosen = Pick<BulkDeleteCasesInput, 'case_ids' | 'all_matching' | 'filters' | 'search'>

function send(queueId: string, kind: BulkKind, chosen: Chosen, { priority, agentId }: Said) {
  if (kind === 'delete') return runyard.cases.bulkDelete(queueId, chosen)
  if (kind === 'priority') return runyard.cases.bulkUpdatePriority(queueId, { ...chosen, priority })
  if (kind === 'reprocess')
    return runyard.cases.bulkReprocess(queueId, { ...chosen, ...(agentId !== '' && { agent_id: agentId }) })
  return runyard.cases.bulkUpdateStatus(queueId, { ...chosen, status: kind })
}

const idsMax = 100

/** Selected ones go a hundred at a time, as the API takes them. */
async function sendAll(queueId: string, kind: BulkKind, over: BulkOver, said: Said) {
  if (!('ids' in over)) return send(queueId, kind, { all_matching: true, ...over.choice }, said)
  let sum: BulkUpdateCaseStatusAnswer | undefined
  for (let at = 0; at < over.ids.length; at += idsMax) {
    const answer = await send(queueId, kind, { case_ids: over.ids.slice(at, at + idsMax) }, said)
    sum = sum
      ? {
          ...answer,
          deleted_count: sum.deleted_count + answer.deleted_count,
          reprocessed_count: sum.reprocessed_count + answer.reprocessed_count,
          updated_count: sum.updated_count + answer.updated_count,
          skipped_count: sum.skipped_count + answer.skipped_count,
        }
      : answer
  }
  return sum
}

const shownMax = 5

export function BulkCases({ queue, kind, over, onClose, onBegun }: BulkCasesProps) {
  const queries = useQueryClient()
  const [said, setSaid] = useState<Said>({ priority: 'high', agentId: '' })
  const isFilter = !('ids' in over)
  const total = isFilter ? over.total : over.ids.length
  const acting = useMutation({
    mutationFn: () => sendAll(queue.id, kind, over, said),
    onSuccess(answer) {
      if (answer?.status === 'running') {
        toast('It continues in the background')
        void queries.invalidateQueries({ queryKey: ['bulkActions', queue.id] })
      } else if (answer) {
        const skipped = answer.skipped_count > 0 ? `, ${count(answer.skipped_count)} left out` : ''
        toast(`${counted(bulkDone(answer), 'case')} done${skipped}`)
      }
      onBegun()
    },
    onSettled() {
      for (const queryKey of [['cases', queue.id], ['queue', queue.id], ['queueWork', queue.id], ['case'], ['queues']])
        void queries.invalidateQueries({ queryKey })
    },
  })
  const many = counted(total, 'case')
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`${bulkVerbs[kind]} ${many}?`}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind={kind === 'delete' || kind === 'failed' ? 'no' : 'go'}
            isBusy={acting.isPending}
            unable={total === 0 ? 'There is nothing to do.' : undefined}
            onClick={() => acting.mutate()}
          >
            {bulkVerbs[kind]} {many}
          </Button>
        </>
      }
    >
      <div className={style.body}>
        {isFilter && <Fitting queueId={queue.id} over={over} />}
        {kind === 'priority' && (
          <Field label="Priority">
            <Select
              options={priorities.map((value) => ({ value, label: priorityWords[value] }))}
              value={said.priority}
              onChange={(event) =>
                setSaid({ ...said, priority: priorities.find((one) => one === event.target.value) ?? 'none' })
              }
            />
          </Field>
        )}
        {kind === 'reprocess' && (
          <AgentField queueId={queue.id} value={said.agentId} onChange={(agentId) => setSaid({ ...said, agentId })} />
        )}
        <p>{bulkSays[kind]}</p>
        <p className="dim">
          {bulkSkips[kind]} {isFilter && 'Cases that are added from now on are not touched.'}
        </p>
        {acting.error && <Problem>{messageOf(acting.error)}</Problem>}
      </div>
    </Dialog>
  )
}

function Fitting({ queueId, over }: { queueId: string; over: Exclude<BulkOver, { ids: string[] }> }) {
  const { choice, total, search, zone } = over
  const { data } = useQuery(caseListQuery(queueId, { ...choice, limit: shownMax }))
  const named = filterNames.filter((name) => search[name] !== undefined)
  return (
    <>
      <ul className={style.filter}>
        {named.length === 0 && <li>Every case of the queue</li>}
        {named.map((name) => {
          const { label, value } = filterWords(name, search, zone)
          return (
            <li key={name}>
              {label} <b>{visible(value)}</b>
            </li>
          )
        })}
      </ul>
      {data && data.cases.length > 0 && (
        <ul className={style.cases}>
          {data.cases.map(({ id, title }) => (
            <li key={id}>
              <bdi>{visible(title)}</bdi>
            </li>
          ))}
          {total > data.cases.length && <li className="dim">and {count(total - data.cases.length)} more</li>}
        </ul>
      )}
    </>
  )
}

function AgentField(props: { queueId: string; value: string; onChange: (agentId: string) => void }) {
  const { data } = useQuery(queueAgentsQuery(props.queueId))
  return (
    <Field label="By" hint="Only agents that work this queue.">
      <Select
        options={[
          { value: '', label: 'Any agent that works the queue' },
          ...(data?.consumers ?? []).map(({ id, name }) => ({ value: id, label: visible(name) })),
        ]}
        value={props.value}
        onChange={(event) => props.onChange(event.target.value)}
      />
    </Field>
  )
}
