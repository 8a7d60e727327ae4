// Why a run is where it is, in one sentence, and who or what can change that.
import { spanOf } from './duration.ts'
import type { Run } from './run.ts'
import type { Explained } from './runFacts.ts'

interface Why {
  why: string
  endedBy: string | null
}

export function whyOf(run: Run, facts: Explained, now: Date): Why {
  const say = { run, facts, for: ago(facts.since, now), now }
  return told[run.status](say)
}

const told: Record<Run['status'], (said: Said) => Why> = {
  pending,
  running,
  waiting,
  completed: (said) => ({ why: `It completed ${said.for} ago.`, endedBy: null }),
  failed: (said) => ({ why: failed(said), endedBy: null }),
  stopped: (said) => ({ why: stopped(said), endedBy: null }),
}

interface Said {
  run: Run
  facts: Explained
  /** How long it has been so. */
  for: string
  now: Date
}

const ago = (since: Date | string | null, now: Date): string =>
  spanOf(since === null ? 0 : Math.max(0, now.getTime() - new Date(since).getTime()))

const at = (time: Date | string): string => new Date(time).toISOString()
const plain = (sentence: string): string => sentence.trim().replace(/\.$/, '')

function pending(said: Said): Why {
  if (said.facts.line) return inLine(said, '')
  if (said.facts.isAdmitted) return ready(said, 'It has a slot')
  return {
    why: 'It was just created; within a second it gets a slot or joins the waitlist.',
    endedBy: 'the service itself',
  }
}

function inLine({ facts, for: since }: Said, before: string): Why {
  const { position, places_held, places_total, agent_places_held, agent_places_total } = facts.line!
  const isCapped = agent_places_total !== null && agent_places_held >= agent_places_total
  const reason = isCapped
    ? `its build lets ${agent_places_total} of its agent’s runs work at once, and ${agent_places_held} do`
    : places_held >= places_total
      ? `all ${places_total} slots of the team are held (max_concurrent_runs)`
      : `${places_held} of the team’s ${places_total} slots are held, so its turn comes within seconds`
  return {
    why: `${before}It has waited for a slot for ${since}, as number ${position}: ${reason}.`,
    endedBy: `a run of ${isCapped ? 'this agent' : 'the team'} that ends or begins to wait, or stopRun`,
  }
}

function ready({ facts, for: since }: Said, what: string): Why {
  if (facts.workers === 0) {
    return {
      why:
        facts.pool === null
          ? `${what}, but no living worker takes it: start a process with RUNYARD_ROLE=worker (or all).`
          : `${what}, but no living worker takes runs of the pool ${facts.pool}: start one with RUNYARD_WORKER_POOLS=${facts.pool}, or change worker_pool of the build.`,
      endedBy: 'a worker process, once there is one',
    }
  }
  return {
    why: `${what} and has waited for a free worker for ${since}.`,
    endedBy: 'any of the living workers, or stopRun',
  }
}

function running({ facts, for: since, now }: Said): Why {
  const { worker, step } = facts
  if (!worker || worker.host === null) {
    return {
      why: 'The process that worked on it is gone, and another one takes it over within seconds.',
      endedBy: facts.workers === 0 ? 'a worker process, once there is one' : 'any of the living workers',
    }
  }
  const holder = `Process ${worker.pid} on ${worker.host} has worked on it for ${since}`
  const endedBy = 'the run itself, one of its limits, or stopRun'
  if (!step) return { why: `${holder} and is between two steps.`, endedBy }
  const stepSince = ago(step.started_at, now)
  if (step.kind !== 'model') {
    return { why: `${holder}; its step ${step.seq}, ${step.name}, has been under way for ${stepSince}.`, endedBy }
  }
  const trouble =
    step.attempt > 1 ? ` (attempt ${step.attempt}${step.last_error ? `, after: ${plain(step.last_error)}` : ''})` : ''
  return { why: `${holder}; it has been asking ${step.name} for ${stepSince}${trouble}.`, endedBy }
}

function waiting(said: Said): Why {
  const { run, facts } = said
  if (facts.line) return inLine(said, 'What it waited for has come. ')
  if (facts.isAdmitted) return ready({ ...said, for: 'a moment' }, 'What it waited for has come; it has a slot')
  return forKind[run.waiting_on?.kind ?? 'capacity'](said)
}

const forKind: Record<NonNullable<Run['waiting_on']>['kind'], (said: Said) => Why> = {
  human: forPerson,
  time: forTime,
  sub_run: forSubRun,
  connection: forConnection,
  capacity: (said) => ({
    why: `It has waited for ${said.for} and is about to continue.`,
    endedBy: 'the service itself',
  }),
}

const onTimeout = {
  fail: 'that call fails',
  approve: 'it counts as approved',
  reject: 'it counts as refused',
  continue: 'it continues without an answer',
}

function forPerson({ facts: { human_request: request }, for: since }: Said): Why {
  if (!request) {
    return { why: 'The person it waited for has answered, and it is about to continue.', endedBy: 'the service itself' }
  }
  const who =
    request.assignee_user_id === null ? 'a person' : (request.assignee_name ?? 'a member who is no longer here')
  const end = request.expires_at
    ? `; if nobody answers until ${at(request.expires_at)}, ${onTimeout[request.on_timeout]}`
    : ''
  const { approvals_needed: needed, approvals } = request
  const people =
    needed > 1
      ? ` The guardrails of the team want ${needed} people to approve, and ${approvals === 0 ? 'none has' : `${approvals} has`}.`
      : ''
  return {
    why: `It has waited for ${since} for ${who} to answer: “${request.title}” (${request.type})${end}.${people}`,
    endedBy: 'anyone with the scope approvals:write, by respondToHumanRequest or cancelHumanRequest, or stopRun',
  }
}

function forTime({ run, facts, now, for: since }: Said): Why {
  const { reason, message } = run.waiting_on!.detail as { reason?: string; message?: string }
  const left = facts.until === null ? '' : spanOf(Math.max(0, new Date(facts.until).getTime() - now.getTime()))
  const until = facts.until === null ? 'soon' : `at ${at(facts.until)}, in ${left}`
  if (reason === 'model_unavailable') {
    const { step } = facts
    return {
      why: `${step?.name ?? 'Its model'} is in trouble (${plain(message ?? 'no answer')}); attempt ${step?.attempt ?? 2} follows ${until}.`,
      endedBy: 'the clock, or stopRun',
    }
  }
  if (reason === 'guardrail') {
    return {
      why: `${message ?? 'The guardrails of the team let it wait.'} It has waited for ${since} and continues ${until}.`,
      endedBy: 'the clock, a change of the guardrails (setGuardrails), or stopRun',
    }
  }
  return { why: `It postponed itself ${since} ago and resumes ${until}.`, endedBy: 'the clock, or stopRun' }
}

function forConnection({ run, for: since }: Said): Why {
  const { name, reason } = run.waiting_on!.detail as { name?: string; reason?: string | null }
  const because = reason ? `: ${plain(reason)}` : ''
  return {
    why: `It has waited for ${since} for ${name ? `the connection ${name}` : 'a connection'} to be authorised again${because}.`,
    endedBy: 'whoever may manage connections (connections:write) and authorises it again, or stopRun',
  }
}

function forSubRun({ run, facts: { sub_run: child }, for: since }: Said): Why {
  const { run_id, agent_name } = run.waiting_on!.detail as { run_id?: string; agent_name?: string }
  const whose = child?.agent_name ?? agent_name ?? 'another agent'
  const state = child ? `is ${child.status}` : 'is gone'
  return {
    why: `It has waited for ${since} for the run ${run_id} of ${whose}, which ${state}.`,
    endedBy: 'the end of that run (its own /why tells more), or stopRun',
  }
}

/** What to do about an error whose own sentence does not say it. */
const advice: Record<string, string> = {
  limit_reached: 'raise that limit in its build, or give it less to do',
  model_unavailable: 'retryRun starts it again when the model answers',
  output_invalid: 'the procedure and output_schema of its build must agree',
  step_failed: 'its execution report shows that step; retryRun can continue from there',
  internal_error: 'the operator finds the reason in the log by this run’s id',
}

/** What to do about an error of a run of an artifact: retryRun does not take it, and nobody edits its build. */
const adviceToArtifact: Record<string, string> = {
  ...advice,
  limit_reached: 'give the artifact less to do',
  model_unavailable: 'refresh the artifact when the model answers',
  step_failed: 'its execution report shows that step; a message to the artifact can change it',
  output_invalid: 'a message to the artifact can change its procedure',
}

function failed({ run: { error, source }, for: since }: Said): string {
  if (!error) return `It failed ${since} ago, and no reason was recorded.`
  const place = error.step === null ? '' : ` at step ${error.step}`
  const todo = (source === 'artifact' ? adviceToArtifact : advice)[error.code]
  return `It failed${place} ${since} ago: ${plain(error.message)}${todo ? ` (${todo})` : ''}.`
}

function stopped({ run: { source: of }, facts: { stopped_by: by }, for: since }: Said): string {
  if (by?.reason === 'member') return `${by.name ?? 'A member'} stopped it ${since} ago.`
  if (by?.reason === 'parent_run') return `It was stopped ${since} ago together with the run that had started it.`
  if (by?.reason === 'agent_deleted')
    return `It was stopped ${since} ago because its ${of === 'artifact' ? 'artifact' : 'agent'} was deleted.`
  return `It was stopped ${since} ago; who asked for that is not on record.`
}
