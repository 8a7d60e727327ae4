// Which requests are listed: all that wait, those of this person, those that were put aside, those that are closed.
import { useQuery } from '@tanstack/react-query'
import { Tabs } from '../../parts/Tabs.tsx'
import { requestCountsQuery } from '../../queries/requests.ts'
import type { InboxList, InboxSearch } from './search.ts'

export function InboxTabs({ search, aside }: { search: InboxSearch; aside: number }) {
  const { data } = useQuery(requestCountsQuery)
  const { list: open = 'waiting', agent_id, sort } = search
  const tab = (list: InboxList, label: string, count?: number) => ({
    label,
    count,
    isOpen: list === open,
    link: {
      to: '/inbox' as const,
      search: { ...(list !== 'waiting' && { list }), ...(list !== 'done' && list !== 'later' && { agent_id, sort }) },
    },
  })
  return (
    <Tabs
      label="Which requests"
      tabs={[
        tab('waiting', 'Waiting', data && Math.max(0, data.total - aside)),
        tab('mine', 'Mine', data?.assigned_to_me),
        tab('later', 'Not now', aside > 0 ? aside : undefined),
        tab('done', 'Done'),
      ]}
    />
  )
}
