// The dialog that starts a run: the agent, its build, the input, and what it may cost. It opens the run page.
import type { Agent, Build, StartRunInput } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState, type FormEvent } from 'react'
import { messageOf, runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { closeStartRun, type StartRunWish } from '../../app/startingRun.ts'
import { Button } from '../../parts/Button.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Field, Input } from '../../parts/Field.tsx'
import { toast } from '../../parts/toasts.tsx'
import { Skeleton } from '../../parts/states.tsx'
import { agentInputsQuery, agentQuery } from '../../queries/agents.ts'
import { AgentChoice } from './AgentChoice.tsx'
import { BuildChoice } from './BuildChoice.tsx'
import { CostWords } from './CostWords.tsx'
import { LimitFields } from './LimitFields.tsx'
import { limitsOf, type LimitTexts } from './limits.ts'
import { draftOf, inKind, kindsFor, messageOfDraft, type MessageDraft } from './message.ts'
import { MessageField } from './MessageField.tsx'
import style from './StartRun.module.css'

export default function StartRun({ wish }: { wish: StartRunWish }) {
  const [agentId, setAgentId] = useState(wish.agentId)
  const agent = useQuery({ ...agentQuery(agentId ?? ''), enabled: agentId !== undefined })
  return agentId === undefined || agent.error ? (
    <Dialog isOpen onClose={closeStartRun} title="Start a run">
      <AgentChoice problem={agent.error ? messageOf(agent.error) : undefined} onChoose={setAgentId} />
    </Dialog>
  ) : (
    <StartForm key={agentId} wish={wish} agent={agent.data} agentId={agentId} onOther={() => setAgentId(undefined)} />
  )
}

interface StartFormProps {
  wish: StartRunWish
  agentId: string
  /** Undefined while it loads. */
  agent: Agent | undefined
  onOther: () => void
}

function StartForm({ wish, agentId, agent, onOther }: StartFormProps) {
  const formId = useId()
  const { unable } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isOfWish = agentId === wish.agentId
  const [buildId, setBuildId] = useState(isOfWish ? wish.buildId : undefined)
  const [build, setBuild] = useState<Build>()
  /** Undefined until somebody writes: what it begins with depends on what the build reads. */
  const [written, setWritten] = useState<MessageDraft>()
  const [isTried, setTried] = useState(false)
  const [title, setTitle] = useState(isOfWish ? (wish.title ?? '') : '')
  const [limits, setLimits] = useState<LimitTexts>({})
  const [sandboxId, setSandboxId] = useState('')
  const found = useQuery({
    ...agentInputsQuery(agentId, buildId),
    ...(isOfWish && wish.inputs && buildId === wish.buildId && { placeholderData: wish.inputs }),
  })
  const inputs = found.data
  const begun = written ?? draftOf(isOfWish ? wish.message : undefined, inputs?.schema)
  const message = kindsFor(inputs?.schema).includes(begun.kind) ? begun : inKind(begun, 'json', inputs?.schema)
  const read = messageOfDraft(message, inputs?.schema)
  const isComplete = Object.keys(read.problems ?? {}).length === 0
  const input = {
    agent_id: agentId,
    ...(read.message !== undefined && { message: read.message }),
    ...(buildId !== undefined && { build_id: buildId }),
    ...(title.trim() !== '' && { title: title.trim() }),
    ...(limitsOf(limits) && { limits: limitsOf(limits) }),
    ...(sandboxId.trim() !== '' && { sandbox_id: sandboxId.trim() }),
  }
  const start = useMutation({
    mutationFn: (wanted: StartRunInput) => runyard.runs.start(wanted),
    onSuccess({ run }) {
      closeStartRun()
      toast(`Started run ${run.run_number} of ${run.agent_name}`)
      void queries.invalidateQueries({ queryKey: ['runs'] })
      void navigate({ to: '/runs/$runId', params: { runId: run.id } })
    },
  })
  // before that a run could start without what its agent needs
  const isAsking = found.isPending ? 'What the agent reads is still being asked for.' : undefined
  const whyNot = unable('runs:write') ?? isAsking ?? read.problem
  function submit(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    if (whyNot === undefined && isComplete && !start.isPending) start.mutate(input)
  }

  return (
    <Dialog
      isOpen
      isLoading={found.isPending}
      onClose={closeStartRun}
      title={
        <>
          Start a run of {agent?.name ?? '…'}{' '}
          <button type="button" className={style.other} onClick={onOther}>
            Another agent
          </button>
        </>
      }
      actions={
        <>
          <CostWords agentId={agentId} build={build} limits={limits} />
          <CopyAs isSmall operation="startRun" input={input} />
          <Button onClick={closeStartRun}>Cancel</Button>
          <Button type="submit" form={formId} kind="go" icon="play" isBusy={start.isPending} unable={whyNot}>
            Start
          </Button>
        </>
      }
    >
      <form id={formId} className={style.form} onSubmit={submit}>
        {start.error && (
          <p className={style.problem} role="alert">
            {messageOf(start.error)}
          </p>
        )}
        {agent?.description && <p className={style.about}>{agent.description}</p>}
        {found.isPending ? (
          <Skeleton rows={3} what="what the agent reads" />
        ) : (
          <MessageField
            draft={message}
            inputs={inputs}
            problem={read.problem}
            problems={isTried ? read.problems : undefined}
            onChange={setWritten}
          />
        )}
        <div className={style.pair}>
          <BuildChoice agentId={agentId} buildId={buildId} onChange={setBuildId} onBuild={setBuild} />
          <Field label="Title" hint="Without one it is made from the input.">
            <Input maxLength={300} value={title} onChange={(event) => setTitle(event.target.value)} />
          </Field>
        </div>
        <LimitFields
          limits={limits}
          build={build}
          sandboxId={sandboxId}
          onChange={setLimits}
          onSandbox={setSandboxId}
        />
      </form>
    </Dialog>
  )
}
