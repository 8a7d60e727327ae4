// An inbox without requests: what this is, and how something would come here.
import { openStartRun } from '../../app/startingRun.ts'
import { useSession } from '../../app/session.tsx'
import { Button, ButtonLink } from '../../parts/Button.tsx'
import { Empty } from '../../parts/states.tsx'
import type { InboxSearch } from './search.ts'

export function NothingHere({ search, onClear }: { search: InboxSearch; onClear: () => void }) {
  const { unable } = useSession()
  const { list = 'waiting' } = search
  if (search.agent_id !== undefined && list !== 'done' && list !== 'later')
    return (
      <Empty icon="filter" title="This agent asks nothing" action={<Button onClick={onClear}>Show all agents</Button>}>
        Requests of other agents are not shown.
      </Empty>
    )
  if (list === 'mine')
    return (
      <Empty
        icon="user"
        title="Nothing is assigned to you"
        action={
          <ButtonLink to="/inbox" search={{}}>
            Show what waits for anybody
          </ButtonLink>
        }
        command="runyard inbox --mine"
      >
        A request can be given to a member. Others may still answer it.
      </Empty>
    )
  if (list === 'later')
    return (
      <Empty
        icon="clock"
        title="Nothing is put aside"
        action={
          <ButtonLink to="/inbox" search={{}}>
            Show what waits
          </ButtonLink>
        }
      >
        What you put aside with “Not now” stands here until it comes back. It is kept in this browser.
      </Empty>
    )
  if (list === 'done')
    return (
      <Empty
        icon="check"
        title="Nothing was answered yet"
        action={
          <ButtonLink to="/inbox" search={{}}>
            Show what waits
          </ButtonLink>
        }
        command="runyard inbox"
      >
        Requests that were answered, cancelled or ran out of time are kept here with who answered what.
      </Empty>
    )
  return (
    <Empty
      icon="inbox"
      title="Nothing waits for you"
      action={
        <Button icon="plus" unable={unable('runs:write')} onClick={() => openStartRun({})}>
          Start a run
        </Button>
      }
      command="runyard inbox"
    >
      A run that needs a person asks here: to approve a call, to answer a question, to fill in a form or to sign in
      somewhere. It waits until somebody answers.
    </Empty>
  )
}
