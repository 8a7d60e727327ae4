// Browsers that are signed in, and how to end them.
import type { MemberSession } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { Shown } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { sessionsQuery } from '../../queries/people.ts'
import { membersQuery } from '../../queries/team.ts'
import { browserName } from './browserName.ts'
import style from './PeopleScreen.module.css'

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
  const nameOf = (userId: string) => members?.members.find(({ id }) => id === userId)?.name ?? userId
  const end = useMutation({
    mutationFn: async (session: MemberSession) => {
      if (session.is_current) await signOut()
      else await runyard.sessions.delete(session.id)
    },
    onSuccess: () => {
      toast('The session has ended')
      void queries.invalidateQueries({ queryKey: ['sessions'] })
    },
    onError: (error) => toastError('The session goes on', error),
  })
  return (
    <Shown query={sessions} what="sessions">
      {({ sessions: rows }) => (
        <div className={style.scroll}>
          <table className={style.table}>
            <thead>
              <tr>
                <th scope="col">Member</th>
                <th scope="col">Browser</th>
                <th scope="col">Address</th>
                <th scope="col">Signed in with</th>
                <th scope="col">Last used</th>
                <th scope="col">Ends</th>
                <th scope="col" className={style.end}>
                  <span className="forReaders">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((session) => (
                <tr key={session.id}>
                  <td>
                    {nameOf(session.user_id)} {session.is_current && <Tag tone="live">this one</Tag>}
                  </td>
                  <td title={session.user_agent}>{browserName(session.user_agent)}</td>
                  <td data-label="Address">{session.address}</td>
                  <td data-label="Signed in with">
                    {cameBy[session.came_by]}, <Time at={session.created_at} />
                  </td>
                  <td data-label="Last used">
                    <Time at={session.last_used_at} />
                  </td>
                  <td data-label="Ends">
                    <Time at={session.expires_at} />
                  </td>
                  <td className={style.end}>
                    <Button
                      kind="quiet"
                      icon="out"
                      isBusy={end.isPending && end.variables.id === session.id}
                      onClick={() => end.mutate(session)}
                    >
                      {session.is_current ? 'Sign out' : 'End'}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Shown>
  )
}
