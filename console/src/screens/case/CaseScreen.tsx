// One case: its data and result, who holds it, everything that happened to it, and its runs.
import type { Case, GetCaseAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Bar, Crumbs } from '../../app/Bar.tsx'
import { useKeys } from '../../app/keys.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { Card } from '../../parts/Card.tsx'
import { Holder, Labels } from '../../parts/case/CaseFacts.tsx'
import { CaseMenu } from '../../parts/case/CaseMenu.tsx'
import { CaseStatusPill } from '../../parts/case/CaseStatus.tsx'
import { isHeldByOther, moveTo } from '../../parts/case/moves.ts'
import { useMoving } from '../../parts/case/useMoving.tsx'
import type { CaseStatus } from '../../parts/case/words.ts'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { CopyText } from '../../parts/CopyText.tsx'
import { Json } from '../../parts/Json.tsx'
import { LongText } from '../../parts/LongText.tsx'
import { Failed, Skeleton } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import { visible } from '../../parts/visibleText.ts'
import { caseQuery, queueQuery } from '../../queries/queues.ts'
import style from './CaseScreen.module.css'
import { EditCase } from './EditCase.tsx'
import { Runs } from './Runs.tsx'
import { Timeline } from './Timeline.tsx'

const route = getRouteApi('/frame/cases/$caseId')

export function CaseScreen() {
  const { caseId } = route.useParams()
  return <OneCase key={caseId} caseId={caseId} />
}

function OneCase({ caseId }: { caseId: string }) {
  const found = useQuery(caseQuery(caseId))
  if (found.data) return <Opened data={found.data} />
  return (
    <>
      <Bar
        title={
          <Crumbs
            back={
              <Link className="link" to="/queues">
                Queues
              </Link>
            }
            here="Case"
          />
        }
      />
      <main className={style.main}>
        {found.error ? (
          <Failed error={found.error} onRetry={() => void found.refetch()} />
        ) : (
          <Skeleton what="the case" />
        )}
      </main>
    </>
  )
}

function Opened({ data: { case: item, events } }: { data: GetCaseAnswer }) {
  const { unable } = useSession()
  const navigate = useNavigate()
  const queue = useQuery(queueQuery(item.queue_id))
  const moving = useMoving()
  const [isEditing, setEditing] = useState(false)
  const toQueue = { to: '/queues/$queueId', params: { queueId: item.queue_id } } as const
  return (
    <>
      <Bar
        title={
          <Crumbs
            back={
              <Link className="link cut" {...toQueue}>
                {queue.data ? visible(queue.data.name) : 'Queue'}
              </Link>
            }
            here="Case"
          />
        }
      >
        <span className={style.wide}>
          <CopyAs operation="getCase" params={{ case_id: item.id }} />
        </span>
      </Bar>
      <main className={style.main}>
        <section className={style.head} aria-label="The case">
          <div className={style.line}>
            <CaseStatusPill status={item.display_status} />
            <h1 className={style.title}>{visible(item.title)}</h1>
            <span className={style.actions}>
              <MoveButtons item={item} moving={moving} />
              <Button icon="edit" unable={unable('queues:write')} onClick={() => setEditing(true)}>
                Edit
              </Button>
              <CaseMenu
                item={item}
                onMove={moving.begin}
                onDeleted={() => void navigate({ ...toQueue, replace: true })}
              />
            </span>
          </div>
          <Facts item={item} />
        </section>
        <div className={style.body}>
          <div className={style.left}>
            {item.reason !== null && (
              <Card title={item.display_status === 'failed' ? 'Why it failed' : 'Reason'}>
                <p className={style.text}>{visible(item.reason)}</p>
              </Card>
            )}
            {item.pending_human_request_id !== null && (
              <Card title="It waits for a person">
                <p className={style.text}>
                  Its run asks somebody.{' '}
                  <Link className="link" to="/inbox" search={{ request: item.pending_human_request_id }}>
                    Open the request
                  </Link>
                </p>
              </Card>
            )}
            <Card title="Data">
              <div className={style.value}>
                <Data text={item.data} />
              </div>
            </Card>
            {item.result !== null && item.result !== undefined && (
              <Card title="Result">
                <div className={style.value}>
                  <Json value={item.result} />
                </div>
              </Card>
            )}
          </div>
          <div className={style.right}>
            <Card title="Timeline">
              <Timeline events={events} />
            </Card>
            <Runs caseId={item.id} />
          </div>
        </div>
        {moving.dialog}
        {isEditing && <EditCase item={item} onClose={() => setEditing(false)} />}
      </main>
    </>
  )
}

/** What is most likely wanted now; the menu has the rest. */
function MoveButtons({ item, moving }: { item: Case; moving: ReturnType<typeof useMoving> }) {
  const { profile, unable } = useSession()
  const isMine = item.claimed_by_user_id === profile.id
  const isEnded = item.status !== 'pending'
  const offered: { to: CaseStatus; says: string; icon: 'user' | 'check' | 'left' | 'retry' }[] = isEnded
    ? [{ to: 'pending', says: 'Make pending', icon: 'retry' }]
    : isMine
      ? [
          { to: 'completed', says: 'Complete', icon: 'check' },
          { to: 'pending', says: 'Release', icon: 'left' },
        ]
      : [
          {
            to: 'in_progress',
            says: isHeldByOther(item, profile) && profile.role === 'admin' ? 'Take over…' : 'Claim',
            icon: 'user',
          },
        ]
  const whyNot = (to: CaseStatus) => unable('queues:write') ?? moveTo(item, to, profile).whyNot
  useKeys([
    {
      keys: 'e',
      says: offered[0]?.says ?? '',
      where: 'Case',
      run: () => offered[0] && moving.begin(item, offered[0].to),
    },
  ])
  return offered.map(({ to, says, icon }, at) => (
    <Button
      key={to}
      kind={at === 0 && !isEnded ? 'go' : 'usual'}
      icon={icon}
      {...(at === 0 && { keys: ['E'], 'aria-keyshortcuts': 'e' })}
      unable={whyNot(to)}
      isBusy={moving.movedId === item.id}
      onClick={() => moving.begin(item, to)}
    >
      {says}
    </Button>
  ))
}

function Facts({ item }: { item: Case }) {
  return (
    <dl className={style.facts}>
      <div>
        <dt>Id</dt>
        <dd>
          <CopyText text={item.id} what="case id" shown={`…${item.id.slice(-8)}`} />
        </dd>
      </div>
      {item.claimed_at !== null && (
        <div>
          <dt>Held by</dt>
          <dd>
            <Holder item={item} />, <Time at={item.claimed_at} />
          </dd>
        </div>
      )}
      {item.priority !== 'none' && (
        <div>
          <dt>Priority</dt>
          <dd>
            <b>{item.priority}</b>
          </dd>
        </div>
      )}
      <div>
        <dt>Attempts</dt>
        <dd>{item.attempts}</dd>
      </div>
      <div>
        <dt>Made</dt>
        <dd>
          <Time at={item.created_at} />
        </dd>
      </div>
      {item.postponed_to !== null && (
        <div>
          <dt>Postponed to</dt>
          <dd>
            <Time at={item.postponed_to} kind="clock" />, <Time at={item.postponed_to} />
          </dd>
        </div>
      )}
      {item.completed_at !== null && (
        <div>
          <dt>Ended</dt>
          <dd>
            <Time at={item.completed_at} />
          </dd>
        </div>
      )}
      {item.labels.length > 0 && (
        <div>
          <dt className="forReaders">Labels</dt>
          <dd>
            <Labels labels={item.labels} />
          </dd>
        </div>
      )}
    </dl>
  )
}

/** JSON where it is some, else the text as it stands. */
function Data({ text }: { text: string }) {
  if (text === '') return <p className="dim">None.</p>
  const json = parsed(text)
  if (json !== undefined) return <Json value={json} />
  return (
    <div className={style.plain}>
      <LongText text={text} write={visible} />
    </div>
  )
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
