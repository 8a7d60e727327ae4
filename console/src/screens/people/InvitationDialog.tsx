// Makes a link that signs a member in, once.
import type { Member } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { CommandLine } from '../../parts/CommandLine.tsx'
import { Dialog } from '../../parts/Dialog.tsx'
import { Shown } from '../../parts/states.tsx'
import { Time } from '../../parts/Time.tsx'
import style from './PeopleScreen.module.css'
import { visible } from '../../parts/visibleText.ts'

export function InvitationDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  // each opening of the dialog is another link
  const [opened] = useState(() => Date.now())
  const link = useQuery({
    queryKey: ['invitation', member.id, opened],
    queryFn: () => runyard.sessions.createLink({ member_id: member.id }),
    staleTime: Infinity,
    gcTime: 0,
  })
  return (
    <Dialog isOpen onClose={onClose} title={`A link for ${member.name}`}>
      <Shown query={link} what="the link" rows={2}>
        {({ url, expires_at }) => (
          <div className={style.form}>
            <p>
              Send it to {visible(member.name)}. Whoever opens it first is signed in as {visible(member.name)}; after
              that it is worth nothing.
            </p>
            <CommandLine text={url} />
            <p className="dim small">
              It ends <Time at={expires_at} />. It is shown only here.
            </p>
          </div>
        )}
      </Shown>
    </Dialog>
  )
}
