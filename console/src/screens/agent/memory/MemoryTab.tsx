// What the agent remembers from run to run: files that it and people write.
import type { ListedMemoryFile } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { classes } from '../../../look/classes.ts'
import { Icon } from '../../../look/Icon.tsx'
import { bytes, counted } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { CopyAs } from '../../../parts/CopyAs.tsx'
import { Empty, Shown } from '../../../parts/states.tsx'
import { Time } from '../../../parts/Time.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { memoryQuery } from '../../../queries/agents.ts'
import { AgentLink } from '../AgentLink.tsx'
import type { TabProps } from '../AgentScreen.tsx'
import tab from '../tab.module.css'
import { MemoryFilePane } from './MemoryFilePane.tsx'
import style from './MemoryTab.module.css'
import { NewMemoryFile } from './NewMemoryFile.tsx'

const route = getRouteApi('/frame/agents/$agentId')

export default function MemoryTab({ agent }: TabProps) {
  const { unable } = useSession()
  const { file: open } = route.useSearch()
  const files = useQuery(memoryQuery(agent.id))
  const [isMaking, setMaking] = useState(false)
  const make = (
    <Button icon="plus" unable={unable('agents:write')} onClick={() => setMaking(true)}>
      New file
    </Button>
  )
  return (
    <>
      <header className={tab.head}>
        <h2>Memory</h2>
        <p>
          {agent.memory_enabled
            ? 'Its runs read and write these files.'
            : 'Switched off: its runs neither read nor write it.'}
          {files.data && files.data.length > 0 && ` ${counted(files.data.length, 'file')}.`}
        </p>
        <span className={tab.gap} />
        <MemorySwitch agentId={agent.id} isOn={agent.memory_enabled} />
        <CopyAs operation="listAgentMemoryFiles" params={{ agent_id: agent.id }} />
        {make}
      </header>
      <Shown query={files} what="memory files">
        {(all) =>
          all.length === 0 ? (
            <Empty
              icon="book"
              title="It remembers nothing yet"
              action={make}
              command={`runyard call putAgentMemoryFile --agent-id ${agent.id} --path notes.md --content "The night shift starts at ten."`}
            >
              Files that its runs write with a memory block, or that you put here, are read by later runs.
            </Empty>
          ) : (
            <div className={style.columns}>
              <ul className={style.files} aria-label="Memory files">
                {all.map((file) => (
                  <li key={file.path}>
                    <FileLink file={file} isOpen={file.path === open} />
                  </li>
                ))}
              </ul>
              {open === undefined ? (
                <p className={style.choose}>Choose a file to read or change it.</p>
              ) : (
                <MemoryFilePane key={open} agentId={agent.id} path={open} />
              )}
            </div>
          )
        }
      </Shown>
      {isMaking && <NewMemoryFile agentId={agent.id} onClose={() => setMaking(false)} />}
    </>
  )
}

function FileLink({
  file: { path, size_bytes, updated_at, source_type },
  isOpen,
}: {
  file: ListedMemoryFile
  isOpen: boolean
}) {
  return (
    <AgentLink change={{ file: path }} isOpen={isOpen} replace className={classes(style.file, isOpen && style.open)}>
      <Icon name="file" />
      <span className={style.path}>{path}</span>
      <small>
        {bytes(size_bytes)} · {source_type === 'run' ? 'a run' : 'a person'}, <Time at={updated_at} />
      </small>
    </AgentLink>
  )
}

function MemorySwitch({ agentId, isOn }: { agentId: string; isOn: boolean }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: (wanted: boolean) => runyard.agents.update(agentId, { memory_enabled: wanted }),
    onSuccess(_answer, wanted) {
      void queries.invalidateQueries({ queryKey: ['agent', agentId] })
      toast(wanted ? 'Its runs remember from now on' : 'Its runs remember nothing from now on', () =>
        change.mutate(!wanted),
      )
    },
    onError: (error) => toastError('Memory is as it was', error),
  })
  return (
    <Button kind="quiet" isBusy={change.isPending} unable={unable('agents:write')} onClick={() => change.mutate(!isOn)}>
      {isOn ? 'Switch off' : 'Switch on'}
    </Button>
  )
}
