// The tools of an MCP connection: which version agents are shown, what its server has changed since, and whether a call asks a person.
import type { Connection, ConnectionTool } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { Icon } from '../../look/Icon.tsx'
import { counted } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { Card } from '../../parts/Card.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { CopyText } from '../../parts/CopyText.tsx'
import { Confirm } from '../../parts/Dialog.tsx'
import { Diff } from '../../parts/Diff.tsx'
import { Json } from '../../parts/Json.tsx'
import { Shown } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { visible } from '../../parts/visibleText.ts'
import { connectionToolsQuery } from '../../queries/connections.ts'
import style from './Tools.module.css'
import { toolText, waitsForApproval } from './toolText.ts'

const route = getRouteApi('/frame/connections/$connectionId')

export function Tools({ connection }: { connection: Connection }) {
  const tools = useQuery(connectionToolsQuery(connection.id))
  const approve = useApprove(connection.id)
  const waiting = tools.data?.filter(waitsForApproval) ?? []
  const [isAsking, setAsking] = useState(false)
  const cannot = useSession().unable('connections:write')
  return (
    <Card
      title="Tools"
      facts={tools.data && counted(tools.data.filter(({ status }) => status !== 'gone').length, 'tool')}
      aside={
        <>
          {waiting.length > 1 && (
            <Button icon="check" unable={cannot} onClick={() => setAsking(true)}>
              Approve all {waiting.length}…
            </Button>
          )}
          <CopyAs isSmall operation="listConnectionTools" params={{ connection_id: connection.id }} />
        </>
      }
    >
      <Shown query={tools} what="tools" rows={4}>
        {(all) =>
          all.length === 0 ? (
            <p className={style.none}>The server has not listed its tools yet. “Test” asks it for them now.</p>
          ) : (
            <ul className={style.tools}>
              {all.map((tool) => (
                <ToolItem key={tool.name} tool={tool} connectionId={connection.id} />
              ))}
            </ul>
          )
        }
      </Shown>
      {isAsking && (
        <Confirm
          isOpen
          onClose={() => setAsking(false)}
          title={`Approve ${counted(waiting.length, 'tool')} of ${connection.name}?`}
          verb="Approve"
          isBusy={approve.isPending}
          onConfirm={() => approve.mutate(waiting, { onSettled: () => setAsking(false) })}
        >
          <p>Agents are shown these as their server lists them now, and call them without asking:</p>
          <ul className={style.asked}>
            {waiting.map(({ name, description }) => (
              <li key={name}>
                <code>{visible(name)}</code> <span className="sub small">{visible(description ?? '')}</span>
              </li>
            ))}
          </ul>
        </Confirm>
      )}
    </Card>
  )
}

function useApprove(connectionId: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (tools: ConnectionTool[]) =>
      runyard.connections.approveTools(connectionId, { tools: tools.map(({ name, hash }) => ({ name, hash })) }),
    onSuccess: (_, tools) => {
      toast(`${counted(tools.length, 'tool is', 'tools are')} approved as listed now`)
      return queries.invalidateQueries({ queryKey: ['connection', connectionId, 'tools'] })
    },
    onError: (error) => toastError('Nothing was approved', error),
  })
}

const words: Record<ConnectionTool['status'], { says: string; rule: string; tone?: 'wait' }> = {
  approved: { says: 'approved', rule: 'Called without asking, unless a rule of the agent says otherwise.' },
  changed: {
    says: 'changed',
    rule: 'Its server changed it since it was approved: every call asks a person, and agents are shown the approved version.',
    tone: 'wait',
  },
  new: { says: 'new', rule: 'Nobody has approved it: every call asks a person.', tone: 'wait' },
  gone: { says: 'gone', rule: 'Its server no longer lists it: calls fail.' },
}

function ToolItem({ tool, connectionId }: { tool: ConnectionTool; connectionId: string }) {
  const { tool: open } = route.useSearch()
  const cannot = useSession().unable('connections:write')
  const approve = useApprove(connectionId)
  const isOpen = open === tool.name
  const { says, rule, tone } = words[tool.status]
  return (
    <li className={style.tool}>
      <div className={style.line}>
        <Link
          className={style.open}
          from="/connections/$connectionId"
          search={isOpen ? {} : { tool: tool.name }}
          replace
          resetScroll={false}
          aria-expanded={isOpen}
        >
          <Icon name={isOpen ? 'down' : 'right'} size={13} />
          <code>{visible(tool.name)}</code>
        </Link>
        <Tag tone={tone} title={rule}>
          {says}
        </Tag>
        <span className={style.version} title={`Version ${tool.hash}`}>
          {tool.hash.slice(0, 8)}
        </span>
        {waitsForApproval(tool) && (
          <Button
            icon="check"
            unable={cannot ?? (isOpen ? undefined : 'Open it first: what you have read is what you approve.')}
            isBusy={approve.isPending}
            onClick={() => approve.mutate([tool])}
          >
            Approve
          </Button>
        )}
      </div>
      {tool.description !== null && !isOpen && <p className={style.description}>{visible(tool.description)}</p>}
      {isOpen && (
        <div className={style.inside}>
          <p className="sub small">{rule}</p>
          <p className="small">
            Agents call it <CopyText text={tool.tool_name} what="tool name" />
            {waitsForApproval(tool) && (
              <CopyAs
                isSmall
                operation="approveConnectionTools"
                params={{ connection_id: connectionId }}
                input={{ tools: [{ name: tool.name, hash: tool.hash }] }}
              />
            )}
          </p>
          {tool.status === 'changed' ? (
            <Diff
              before={toolText(tool.approved_description, tool.approved_input_schema)}
              after={toolText(tool.description, tool.input_schema)}
              label="Approved, and as its server lists it now"
            />
          ) : (
            <>
              {tool.description !== null && <p className={style.whole}>{visible(tool.description)}</p>}
              <Json value={tool.input_schema} rows={40} />
            </>
          )}
        </div>
      )}
    </li>
  )
}
