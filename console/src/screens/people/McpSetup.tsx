// How an assistant is connected over MCP: a key for it, and what each of five clients wants in its settings.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSession } from '../../app/session.tsx'
import { Icon } from '../../look/Icon.tsx'
import { Button } from '../../parts/Button.tsx'
import { Card } from '../../parts/Card.tsx'
import { CommandLine } from '../../parts/CommandLine.tsx'
import { useCopied } from '../../parts/CopyText.tsx'
import { RowTableHead } from '../../parts/RowTable.tsx'
import { mcpSnippets } from './mcpSnippets.ts'
import style from './McpSetup.module.css'
import { NewKeyDialog } from './NewKeyDialog.tsx'
import { assistantScopes } from './scopeList.ts'

export function McpSetup() {
  const { unable } = useSession()
  const [isMaking, setMaking] = useState(false)
  const { origin } = window.location
  const { data: clients = [] } = useQuery({
    queryKey: ['mcpClients', origin],
    // the texts come with the tab that shows them
    queryFn: () => mcpSnippets(origin),
    staleTime: Infinity,
  })
  return (
    <>
      <RowTableHead says="An assistant that speaks MCP starts runs, waits for them and answers their questions. Make a key for each one; it sees only the tools that its key allows.">
        <Button kind="go" icon="plus" unable={unable('keys:manage')} onClick={() => setMaking(true)}>
          Make a key for it
        </Button>
      </RowTableHead>
      <div className={style.address}>
        <CommandLine text={`${origin}/v2/mcp`} />
        <CommandLine text="export RUNYARD_API_KEY=…" />
      </div>
      <div className={style.clients}>
        {clients.map(({ name, where, snippet }) => (
          <Card key={name} title={name}>
            <p className={style.where}>{where}</p>
            <Snippet name={name} text={snippet} />
          </Card>
        ))}
      </div>
      {isMaking && <NewKeyDialog scopes={assistantScopes} onClose={() => setMaking(false)} />}
    </>
  )
}

function Snippet({ name, text }: { name: string; text: string }) {
  const [isCopied, copyIt] = useCopied()
  return (
    <div className={style.snippet}>
      <pre>{text}</pre>
      <button
        type="button"
        onClick={() => void copyIt(text)}
        aria-label={isCopied ? 'Copied' : `Copy the set-up of ${name}`}
      >
        <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      </button>
    </div>
  )
}
