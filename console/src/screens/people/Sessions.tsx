// Browsers that are signed in, and how to end them.
import type { MemberSession } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { Cell, Row, RowTable } from '../../parts/RowTable.tsx'
import { Shown } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { sessionsQuery } from '../../queries/people.ts'
import { membersQuery } from '../../queries/team.ts'
import { browserName } from './browserName.ts'
import { visible } from '../../parts/visibleText.ts'

const cameBy: Record<MemberSession['came_by'], string> = {
  link: 'link',
  api_key: 'API key',
  oidc: 'company account',
  invitation: 'invitation',
}

export function Sessions() {
  const { signOut } = useSession()
  const queries = useQueryClient()
  const sessions = useQuery(sessionsQuery)
  const { data: members } = useQuery(membersQuery)
  const nameOf = (userId: string) => visible(members?.members.find(({ id }) => id === userId)?.name ?? userId)
  const end = useMutation({
    mutationFn: async (session: MemberSession) => {
      if (session.is_current) await signOut()
      else await runyard.sessions.delete(session.id)
    },
    onSuccess: () => {
      toast('The session has ended')
      void queries.invalidateQueries({ queryKey: ['sessions'] })
    },
    onError: (error) => toastError('The session was not ended', error),
  })
  return (
    <Shown query={sessions} what="sessions">
      {({ sessions: rows }) => (
        <RowTable heads={['Member', 'Browser', 'Address', 'Signed in with', 'Last used', 'Ends']}>
          {rows.map((session) => (
            <Row
              key={session.id}
              actions={
                <Button
                  kind="quiet"
                  icon="out"
                  isBusy={end.isPending && end.variables.id === session.id}
                  onClick={() => end.mutate(session)}
                >
                  {session.is_current ? 'Sign out' : 'End'}
                </Button>
              }
            >
              <Cell>
                {nameOf(session.user_id)} {session.is_current && <Tag tone="live">this one</Tag>}
              </Cell>
              <Cell title={visible(session.user_agent)}>{visible(browserName(session.user_agent))}</Cell>
              <Cell of="Address">{session.address}</Cell>
              <Cell of="Signed in with">
                {cameBy[session.came_by]}, <Time at={session.created_at} />
              </Cell>
              <Cell of="Last used">
                <Time at={session.last_used_at} />
              </Cell>
              <Cell of="Ends">
                <Time at={session.expires_at} />
              </Cell>
            </Row>
          ))}
        </RowTable>
      )}
    </Shown>
  )
}
