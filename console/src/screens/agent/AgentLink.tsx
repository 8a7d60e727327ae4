// A link to the same agent with something else open: another tab, another build, another panel.
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AgentSearch } from './search.ts'

const route = getRouteApi('/frame/agents/$agentId')

interface AgentLinkProps {
  /** What differs from the address now; undefined takes it away. */
  change: { [Name in keyof AgentSearch]?: AgentSearch[Name] | undefined }
  /** It is what is shown now. */
  isOpen?: boolean
  /** The address before does not stay in the history. */
  replace?: boolean
  className?: string | undefined
  children: ReactNode
}

export function AgentLink({ change, isOpen = false, replace = false, className, children }: AgentLinkProps) {
  const { agentId } = route.useParams()
  const search = route.useSearch()
  return (
    <Link
      to="/agents/$agentId"
      params={{ agentId }}
      search={{ ...search, ...change }}
      // another link of the same page is not the open one
      activeOptions={{ exact: true }}
      activeProps={{}}
      aria-current={isOpen ? 'true' : undefined}
      replace={replace}
      className={className}
    >
      {children}
    </Link>
  )
}
