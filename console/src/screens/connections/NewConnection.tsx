// Connects an MCP server or an API: where it is, what it sends with each call, and for a server what it answers before anything is stored.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { Button } from '../../parts/Button.tsx'
import { connectMcp } from '../../parts/connections/authorize.ts'
import { CredentialFields } from '../../parts/connections/CredentialFields.tsx'
import {
  credentialOf,
  emptyCredential,
  whyNotSent,
  type CredentialInput,
} from '../../parts/connections/credentialInput.ts'
import { Field, Input } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { toast } from '../../parts/toasts.tsx'
import { ProbeResult } from './ProbeResult.tsx'

interface NewConnectionProps {
  kind: 'mcp' | 'api'
  onClose: () => void
}

export function NewConnection({ kind, onClose }: NewConnectionProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isMcp = kind === 'mcp'
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const [isShared, setShared] = useState(true)
  const [credential, setCredential] = useState<CredentialInput>({ ...emptyCredential, how: isMcp ? 'oauth' : 'key' })
  const isOAuth = credential.how === 'oauth'
  const probe = useMutation({
    mutationFn: async () => {
      const [oauth, server] = await Promise.all([
        runyard.connections.checkMcpOAuth({ mcp_server_url: url.trim() }),
        runyard.connections.probeMcpServer({ server_url: url.trim(), ...credentialOf(credential) }),
      ])
      return { oauth, server }
    },
  })
  const make = useMutation({
    mutationFn: async () => {
      if (isOAuth) {
        await connectMcp(name.trim(), url.trim())
        return undefined
      }
      const { connection } = await runyard.connections.create({
        name: name.trim(),
        type: isMcp ? 'custom_mcp' : 'api',
        server_url: url.trim(),
        shared: isShared,
        ...credentialOf(credential),
      })
      return connection
    },
    onSuccess: async (connection) => {
      if (!connection) return
      toast(`${connection.name} is connected`)
      await queries.invalidateQueries({ queryKey: ['connections'] })
      void navigate({ to: '/connections/$connectionId', params: { connectionId: connection.id } })
    },
  })
  const isUrl = URL.canParse(url.trim())
  const unable =
    name.trim() === ''
      ? 'A connection needs a name.'
      : isUrl
        ? whyNotSent(credential)
        : 'A URL begins with https:// and names a host.'
  return (
    <FormDialog
      title={isMcp ? 'Connect an MCP server' : 'Connect an API with a key'}
      verb={isOAuth ? 'Sign in at the server' : 'Connect'}
      unable={unable}
      isBusy={make.isPending || (make.isSuccess && isOAuth)}
      error={make.error}
      onSend={() => make.mutate()}
      onClose={onClose}
      width="wide"
      aside={
        isMcp && (
          <Button
            icon="search"
            isBusy={probe.isPending}
            unable={isUrl ? undefined : 'A URL begins with https:// and names a host.'}
            onClick={() => probe.mutate()}
          >
            Try the server
          </Button>
        )
      }
    >
      <Field label="Name" hint="Agents use it by this name." isRequired>
        <Input value={name} maxLength={200} onChange={(event) => setName(event.target.value)} />
      </Field>
      <Field
        label={isMcp ? 'URL of the server' : 'Base URL of the API'}
        hint="What is secret is sent to this host alone."
        isRequired
      >
        <Input
          type="url"
          value={url}
          placeholder={isMcp ? 'https://mcp.example.com/mcp' : 'https://api.example.com/v1'}
          onChange={(event) => {
            setUrl(event.target.value)
            probe.reset()
          }}
        />
      </Field>
      <CredentialFields value={credential} hasOAuth={isMcp} onChange={setCredential} />
      {!isOAuth && (
        <label>
          <input type="checkbox" checked={isShared} onChange={(event) => setShared(event.target.checked)} /> The whole
          team may use it
        </label>
      )}
      <ProbeResult probe={probe} />
    </FormDialog>
  )
}
