// Copies a call of the service: as curl, as a program with the SDK, as a command line.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCommands } from '../app/commands.ts'
import type { OperationId } from '../generated/operations.ts'
import { teamQuery } from '../queries/team.ts'
import { Button } from './Button.tsx'
import { copy } from './CopyText.tsx'
import { Menu } from './Menu.tsx'
import { toast, toastError } from './toasts.tsx'

export interface CopyAsProps {
  operation: OperationId
  /** The parameters of the path by their names in it, without the team. */
  params?: Record<string, string>
  /** The fields of the body or of the query; what is undefined is left out. */
  input?: Record<string, unknown>
}

type Form = 'curl' | 'SDK (TypeScript)' | 'CLI'

const forms: Form[] = ['curl', 'SDK (TypeScript)', 'CLI']

/** The texts and the table of operations come when somebody first wants them. */
async function textOf(
  form: Form,
  { operation, params = {}, input = {} }: CopyAsProps,
  teamId: string,
): Promise<string> {
  const [{ operations }, { curlText, sdkText, cliText }] = await Promise.all([
    import('../generated/operations.ts'),
    import('./copyTexts.ts'),
  ])
  const write = { curl: curlText, 'SDK (TypeScript)': sdkText, CLI: cliText }[form]
  return write({ operation, shape: operations[operation], params, input, origin: window.location.origin, teamId })
}

/** One function a form, for menus; with `isOffered` the palette has them too. */
export function useCopyAs(
  call: CopyAsProps | undefined,
  { isOffered = true } = {},
): { form: Form; copy: () => void }[] {
  const queries = useQueryClient()
  const copies = forms.map((form) => ({
    form,
    copy: () => {
      if (!call) return
      const text = queries.ensureQueryData(teamQuery).then((team) => textOf(form, call, team.id))
      copyLater(text).then(
        () => toast(`Copied as ${form}`),
        (error: unknown) => toastError(`Could not be copied as ${form}`, error),
      )
    },
  }))
  useCommands(
    call && isOffered
      ? copies.map(({ form, copy: run }) => ({
          id: `copy-as-${form}`,
          label: `Copy as ${form}`,
          icon: 'copy' as const,
          words: `${call.operation} api`,
          run,
        }))
      : [],
  )
  return call ? copies : []
}

/** Safari forgets the click while a text is awaited, unless the clipboard itself is what waits. */
async function copyLater(text: Promise<string>): Promise<void> {
  if (!window.isSecureContext || typeof ClipboardItem === 'undefined') return copy(await text)
  const blob = text.then((words) => new Blob([words], { type: 'text/plain' }))
  await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })])
}

/** `isSmall`: an icon alone, beside something that one copies. */
export function CopyAs({ isSmall, ...call }: CopyAsProps & { isSmall?: boolean }) {
  useQuery(teamQuery)
  const copies = useCopyAs(call, { isOffered: !isSmall })
  const trigger = isSmall ? (
    <Button kind="quiet" icon="copy" aria-label="Copy as" />
  ) : (
    <Button icon="copy">Copy as</Button>
  )
  return (
    <Menu
      label="Copy as"
      trigger={trigger}
      items={copies.map(({ form, copy: onSelect }) => ({ label: form, onSelect }))}
    />
  )
}
