// Says which other agents work the same queue.
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { brief } from '../../agents/brief.ts'

export function Sharing({ agents }: { agents: { id: string; name: string }[] }) {
  const shown = agents.slice(0, 5)
  return (
    <span>
      {shown.map(({ id, name }, at) => (
        <Fragment key={id}>
          {at > 0 && (at === shown.length - 1 && agents.length === shown.length ? ' and ' : ', ')}
          <Link className="link" to="/agents/$agentId" params={{ agentId: id }}>
            {brief(name)}
          </Link>
        </Fragment>
      ))}
      {agents.length > shown.length && ` and ${agents.length - shown.length} more`}{' '}
      {agents.length === 1 ? 'works' : 'work'} this queue too: they share its cases, and each case goes to one of them.
    </span>
  )
}
