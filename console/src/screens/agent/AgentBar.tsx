// The bar above an agent: its name, its live build, its tabs, and what one does with it.
import type { Agent } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Bar, Crumbs } from '../../app/Bar.tsx'
import { runyard } from '../../app/client.ts'
import { useCommands } from '../../app/commands.ts'
import { keyCaps, useKeys } from '../../app/keys.ts'
import { useSession } from '../../app/session.tsx'
import { openStartRun } from '../../app/startingRun.ts'
import { Button } from '../../parts/Button.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { visible } from '../../parts/visibleText.ts'
import { agentQuery, buildsQuery, rubricsQuery, schedulesQuery } from '../../queries/agents.ts'
import { DeleteAgent } from '../agents/DeleteAgent.tsx'
import { DuplicateAgent } from '../agents/DuplicateAgent.tsx'
import style from './AgentBar.module.css'
import { useDraft } from './draft/DraftProvider.tsx'
import { PauseAgent } from './PauseAgent.tsx'
import { RenameAgent } from './RenameAgent.tsx'
import type { AgentTab } from './search.ts'

export const BackToAgents = () => <Link to="/agents">Agents</Link>

const names: Record<AgentTab, string> = {
  procedure: 'Procedure',
  builds: 'Builds',
  schedules: 'Schedules',
  memory: 'Memory',
  rubrics: 'Rubrics',
  replays: 'Replays',
  suggestions: 'Suggestions',
  triggers: 'Triggers',
  runs: 'Runs',
}

export function AgentBar({ agent, tab }: { agent: Agent; tab: AgentTab }) {
  const { unable } = useSession()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'rename' | 'duplicate' | 'pause' | 'delete'>()
  const { working, copy, checked, errors } = useDraft()
  const builds = useQuery(buildsQuery(agent.id))
  const schedules = useQuery(schedulesQuery(agent.id))
  const rubrics = useQuery({ ...rubricsQuery(agent.id), enabled: unable('evals:read') === undefined })
  const live = builds.data?.builds.find(({ status }) => status === 'live')
  const counts: Partial<Record<AgentTab, number | undefined>> = {
    builds: builds.data?.total,
    schedules: schedules.data?.length,
    rubrics: rubrics.data?.rubrics.length,
  }

  const queries = useQueryClient()
  const resume = useMutation({
    mutationFn: () => runyard.agents.resume(agent.id),
    onSuccess: ({ agent: resumed }) => {
      queries.setQueryData(agentQuery(agent.id).queryKey, resumed)
      void queries.invalidateQueries({ queryKey: ['agents'] })
      toast('The agent is resumed')
    },
    onError: (error) => toastError('The agent was not resumed', error),
  })
  const isDraft = working.phase !== 'saved' || working.base.status === 'draft'
  const cannotRun =
    unable('runs:write') ?? (errors > 0 ? 'Fix the errors first: the server refuses a build with errors.' : undefined)
  const run = () => {
    if (cannotRun !== undefined) return
    const inputs = checked?.config === working.config ? checked.answer.inputs : undefined
    copy.saveNow().then(
      (build) => openStartRun({ agentId: agent.id, buildId: build.id, inputs }),
      (error: unknown) => toastError('The draft could not be saved, so it was not started', error),
    )
  }
  const runLabel = isDraft ? 'Run this draft' : 'Run this build'
  useKeys([{ keys: 'mod+Enter', says: runLabel, where: 'Agent', whileTyping: true, run }])
  useCommands([{ id: 'run-draft', label: `${runLabel} of ${agent.name}`, icon: 'play', unable: cannotRun, run }])

  return (
    <>
      <Bar
        isCrowded
        title={
          <>
            <Crumbs back={<BackToAgents />} here={<span className="cut">{agent.name}</span>} />
            {live && (
              <span className={style.wide}>
                <Tag tone="live">build {live.revision_number} live</Tag>
              </span>
            )}
            {agent.paused_at !== null && (
              <Tag tone="wait" title={visible(agent.paused_reason ?? 'No run of its live build starts.')}>
                paused
              </Tag>
            )}
          </>
        }
        tabs={
          <Tabs
            label="Agent"
            tabs={Object.entries(names).map(([name, label]) => ({
              label,
              count: counts[name as AgentTab] || undefined,
              isOpen: name === tab,
              link: {
                to: '/agents/$agentId',
                params: { agentId: agent.id },
                search: (now: object) => ({ ...now, tab: name === 'procedure' ? undefined : (name as AgentTab) }),
              },
            }))}
          />
        }
      >
        <span className={style.wide}>
          <CopyAs operation="getRevision" params={{ agent_id: agent.id, build_id: working.base.id }} />
        </span>
        <Button icon="play" keys={keyCaps('mod+Enter')} unable={cannotRun} onClick={run}>
          <span>
            Run<span className={style.rest}>{runLabel.slice('Run'.length)}</span>
          </span>
        </Button>
        <Menu
          label="Agent"
          trigger={<Button kind="quiet" icon="more" aria-label="More" />}
          items={[
            {
              label: 'Name and description…',
              icon: 'edit',
              unable: unable('agents:write'),
              onSelect: () => setDialog('rename'),
            },
            {
              label: 'Duplicate…',
              icon: 'copy',
              unable: unable('agents:write'),
              onSelect: () => setDialog('duplicate'),
            },
            agent.paused_at === null
              ? { label: 'Pause…', icon: 'pause', unable: unable('agents:write'), onSelect: () => setDialog('pause') }
              : { label: 'Resume', icon: 'play', unable: unable('agents:write'), onSelect: () => resume.mutate() },
            { label: 'Delete…', icon: 'trash', unable: unable('agents:write'), onSelect: () => setDialog('delete') },
          ]}
        />
      </Bar>
      {dialog === 'rename' && <RenameAgent agent={agent} onClose={() => setDialog(undefined)} />}
      {dialog === 'duplicate' && <DuplicateAgent agent={agent} onClose={() => setDialog(undefined)} />}
      {dialog === 'pause' && <PauseAgent agent={agent} onClose={() => setDialog(undefined)} />}
      {dialog === 'delete' && (
        <DeleteAgent
          agent={agent}
          onClose={() => setDialog(undefined)}
          onDeleted={() => void navigate({ to: '/agents' })}
        />
      )}
    </>
  )
}
