// The members of the team: their roles, and links that invite them.
import type { Member } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { Icon } from '../../look/Icon.tsx'
import { Button } from '../../parts/Button.tsx'
import { Confirm } from '../../parts/Dialog.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { Cell, Row, RowTable, RowTableHead } from '../../parts/RowTable.tsx'
import { Shown } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Time } from '../../parts/Time.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { membersQuery } from '../../queries/team.ts'
import { InvitationDialog } from './InvitationDialog.tsx'
import { NewMemberDialog } from './NewMemberDialog.tsx'
import { visible } from '../../parts/visibleText.ts'

const roles: Member['role'][] = ['admin', 'operator', 'viewer']

export function Members() {
  const { profile, unable } = useSession()
  const queries = useQueryClient()
  const members = useQuery(membersQuery)
  const [isAdding, setAdding] = useState(false)
  const [invited, setInvited] = useState<Member>()
  const [leaving, setLeaving] = useState<Member>()
  const cannot = unable('keys:manage')
  const changed = () => queries.invalidateQueries({ queryKey: ['members'] })
  const changeRole = useMutation({
    mutationFn: ({ member, role }: { member: Member; role: Member['role'] }) =>
      runyard.members.update(member.id, { role }),
    onSuccess: (_, { member, role }) => {
      toast(`${member.name} is ${role === 'viewer' ? 'a' : 'an'} ${role} now`, () =>
        changeRole.mutate({ member: { ...member, role }, role: member.role }),
      )
      void changed()
    },
    onError: (error) => toastError('The role was not changed', error),
  })
  const remove = useMutation({
    mutationFn: (member: Member) => runyard.members.delete(member.id),
    onSuccess: (_, member) => {
      toast(`${member.name} was removed; their sessions and keys have ended`)
      setLeaving(undefined)
      void changed()
    },
    onError: (error) => toastError('The member was not removed', error),
  })
  return (
    <>
      <RowTableHead says="A role limits what a member’s sessions and keys may do.">
        <Button kind="go" icon="plus" unable={cannot} onClick={() => setAdding(true)}>
          Add a member
        </Button>
      </RowTableHead>
      <Shown query={members} what="members">
        {({ members: rows }) => (
          <RowTable heads={['Name', 'E-mail', 'Role', 'Since']}>
            {rows.map((member) => (
              <Row
                key={member.id}
                actions={
                  <>
                    <Button kind="quiet" icon="link" unable={cannot} onClick={() => setInvited(member)}>
                      Invite
                    </Button>
                    <Button kind="quiet" icon="trash" unable={cannot} onClick={() => setLeaving(member)}>
                      Remove
                    </Button>
                  </>
                }
              >
                <Cell>
                  {visible(member.name)} {member.id === profile.id && <Tag tone="live">you</Tag>}
                </Cell>
                <Cell of="E-mail">
                  {member.email === null ? <span className="dim">none</span> : visible(member.email)}
                </Cell>
                <Cell of="Role">
                  <Menu
                    label={`Role of ${visible(member.name)}`}
                    trigger={
                      <Button>
                        {member.role}
                        <Icon name="down" size={14} />
                      </Button>
                    }
                    items={roles.map((role) => ({
                      label: role,
                      isChecked: role === member.role,
                      unable: cannot,
                      onSelect: () => role !== member.role && changeRole.mutate({ member, role }),
                    }))}
                  />
                </Cell>
                <Cell of="Since">
                  <Time at={member.created_at} />
                </Cell>
              </Row>
            ))}
          </RowTable>
        )}
      </Shown>
      {isAdding && (
        <NewMemberDialog
          onClose={() => setAdding(false)}
          onAdded={(member) => {
            setAdding(false)
            void changed()
            setInvited(member)
          }}
        />
      )}
      {invited && <InvitationDialog member={invited} onClose={() => setInvited(undefined)} />}
      {leaving && (
        <Confirm
          isOpen
          onClose={() => setLeaving(undefined)}
          title={`Remove ${leaving.name} from the team?`}
          verb="Remove"
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate(leaving)}
        >
          Their sessions and keys end within a second. What they did stays in the audit log.
        </Confirm>
      )}
    </>
  )
}
