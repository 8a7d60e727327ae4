// One person about to answer one request: what they chose, what hinders it, and who was faster.
import { ConflictError, InvalidRequestError, type HumanRequest } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { messageOf, runyard } from '../../app/client.ts'
import { useLiveEvents } from '../../app/live.tsx'
import { useSession } from '../../app/session.tsx'
import { requestQuery } from '../../queries/requests.ts'
import { refusalOf, type Problems } from '../schemaValue.ts'
import { toast } from '../toasts.tsx'
import { emptyDraft, forgetDraft, keepDraft, readDraft, type Draft } from './draft.ts'
import { formProblems, inputOf, missingFor, type Decision } from './input.ts'
import { outcomeWords } from './words.ts'

export interface Answering {
  /** As it is now: closed as soon as anybody has answered it. */
  request: HumanRequest
  isClosed: boolean
  /** Why this person may not answer, as a sentence. */
  unable: string | undefined
  draft: Draft
  change: (draft: Draft) => void
  /** What was chosen of an approval and is not sent yet. */
  decision: Decision | undefined
  decide: (decision: Decision | undefined) => void
  /** Why it cannot be sent yet. */
  missing: string | undefined
  /** At the fields of a form. */
  problems: Problems
  /** What the service said against the answer, where no field is to blame. */
  refusal: string | undefined
  /** The action is another than the one that was shown first. */
  hasChanged: boolean
  isSending: boolean
  /** Sends what was chosen; `decision` where a click chooses and sends. */
  send: (decision?: Decision) => void
  /** This person has approved, and another one must too: they can reject it or take it back. */
  hasApproved: boolean
  isTakingBack: boolean
  takeBack: () => void
}

interface Options {
  /** It has this person's answer; `pending` where another person must approve too. */
  onAnswered?: (request: HumanRequest) => void
  /** This person took an approval back. */
  onTakenBack?: (request: HumanRequest) => void
}

export function useAnswering(given: HumanRequest, { onAnswered, onTakenBack }: Options = {}): Answering {
  const queries = useQueryClient()
  const session = useSession()
  const memberId = session.profile.id
  const [seen, setSeen] = useState<HumanRequest>()
  const request = newer(given, seen)
  const [draft, setDraft] = useState(() => readDraft(memberId, given.id))
  const [decision, setDecision] = useState<Decision>()
  const [problems, setProblems] = useState<Problems>({})
  const [refusal, setRefusal] = useState<string>()
  const [shownHash] = useState(given.action?.hash)
  const isClosed = request.status !== 'pending'

  const hasApproved = !isClosed && (request.approvals ?? []).some(({ user_id }) => user_id === memberId)
  const lookAgain = () => {
    for (const queryKey of [['requests'], ['run', request.run_id], ['runs'], ['overview']])
      void queries.invalidateQueries({ queryKey })
  }

  function close(now: HumanRequest) {
    setSeen(now)
    setDecision(undefined)
  }

  async function look() {
    const now = await queries.fetchQuery({ ...requestQuery(given.id), staleTime: 0 })
    if (now.status !== 'pending') close(now)
    else setSeen(now)
  }

  useLiveEvents(({ event, data }) => {
    if (isClosed) return
    if (event === 'human_request.responded') {
      const { human_request: other } = data as { human_request: HumanRequest }
      if (other.id === given.id) close(other)
      return
    }
    // nothing tells of a request that was cancelled, but its run continues or ends
    const { run_id } = data as { run_id?: string }
    if (run_id === given.run_id) look().catch((error: unknown) => setRefusal(messageOf(error)))
  })

  const sending = useMutation({
    mutationFn: (choice: Decision | undefined) =>
      runyard.humanRequests.respond(request.run_id, request.id, inputOf(request, draft, choice)),
    onSuccess({ human_request: answered }) {
      forgetDraft(memberId, request.id)
      close(answered)
      setDraft(emptyDraft)
      // where another person must approve too, the request stays and says so itself: a toast would lie over the button that takes it back
      if (answered.status !== 'pending') toast(`You ${outcomeWords(answered)}`)
      lookAgain()
      onAnswered?.(answered)
    },
    async onError(error) {
      setDecision(undefined)
      if (error instanceof InvalidRequestError && request.type === 'form') {
        const found = refusalOf(request.form_schema, error.message)
        setProblems(found)
        if (Object.keys(found).length === 0) setRefusal(error.message)
        return
      }
      setRefusal(messageOf(error))
      // somebody was faster, or another action waits now
      if (error instanceof ConflictError) await look()
    },
  })

  const takingBack = useMutation({
    mutationFn: () => runyard.humanRequests.withdraw(request.run_id, request.id),
    onSuccess({ human_request: left }) {
      setSeen(left)
      lookAgain()
      onTakenBack?.(left)
    },
    async onError(error) {
      setRefusal(messageOf(error))
      // the other person was faster
      if (error instanceof ConflictError) await look()
    },
  })

  return {
    request,
    isClosed,
    unable: session.unable('approvals:write'),
    draft,
    change(next) {
      if (isClosed) return
      setDraft(next)
      keepDraft(memberId, given.id, next)
      setProblems({})
      setRefusal(undefined)
    },
    decision,
    decide: (next) => !isClosed && setDecision(next),
    missing: missingFor(request, draft, decision),
    problems,
    refusal: isClosed ? undefined : refusal,
    hasChanged: shownHash !== undefined && request.action !== null && request.action.hash !== shownHash,
    isSending: sending.isPending,
    send(choice = decision) {
      if (isClosed || sending.isPending || session.unable('approvals:write') !== undefined) return
      if (missingFor(request, draft, choice) !== undefined || (hasApproved && choice === 'approve')) return
      const found = formProblems(request, draft)
      setProblems(found)
      if (Object.keys(found).length > 0) return
      setRefusal(undefined)
      sending.mutate(choice)
    },
    hasApproved,
    isTakingBack: takingBack.isPending,
    takeBack() {
      setRefusal(undefined)
      setDecision(undefined)
      takingBack.mutate()
    },
  }
}

/** Of the same request as read twice: what is closed stays closed. */
function newer(given: HumanRequest, seen: HumanRequest | undefined): HumanRequest {
  if (seen === undefined || seen.id !== given.id) return given
  return given.status === 'pending' ? seen : given
}
