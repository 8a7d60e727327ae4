// What an MCP server said when it was tried: its tools, whether it wants a sign-in, or why it cannot be used.
import type { CheckMcpOAuthAnswer, ProbeMcpServerAnswer } from '@runyard/sdk'
import { messageOf } from '../../app/client.ts'
import { counted } from '../../parts/amounts.ts'
import { Problem } from '../../parts/Field.tsx'
import { visible } from '../../parts/visibleText.ts'
import { StatusShape } from '../../look/StatusShape.tsx'
import style from './ProbeResult.module.css'

interface Probed {
  data: { oauth: CheckMcpOAuthAnswer; server: ProbeMcpServerAnswer } | undefined
  error: Error | null
  isPending: boolean
}

export function ProbeResult({ probe: { data, error, isPending } }: { probe: Probed }) {
  if (isPending) return <p className="dim small">Asking the server…</p>
  if (error) return <Problem>{messageOf(error)}</Problem>
  if (!data) return null
  const { oauth, server } = data
  return (
    <section className={style.result} aria-label="What the server said" aria-live="polite">
      {oauth.supports_oauth && (
        <p className={style.line}>
          <StatusShape shape="human" size={14} />
          <span>
            It wants a person to sign in
            {oauth.scopes.length > 0 && <>, and asks for {visible(oauth.scopes.join(', '))}</>}.
            {!oauth.supports_dcr &&
              ' It does not let programs register by themselves, so it may need a client of its own.'}
          </span>
        </p>
      )}
      {server.success ? (
        <>
          <p className={style.line}>
            <StatusShape shape="pass" size={14} />
            It answers, and has {counted(server.tools?.length ?? 0, 'tool')}.
          </p>
          <ul className={style.tools}>
            {server.tools?.map(({ name, description }) => (
              <li key={name}>
                <code>{visible(name)}</code> <span>{visible(description ?? '').slice(0, 300)}</span>
              </li>
            ))}
          </ul>
        </>
      ) : (
        !oauth.supports_oauth && (
          <p className={style.line}>
            <StatusShape shape="failed" size={14} />
            <span>{visible(server.error ?? oauth.error ?? 'It cannot be used.')}</span>
          </p>
        )
      )}
    </section>
  )
}
