// One memory file: read, changed over what was read, deleted.
import { ConflictError, type MemoryFile } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { messageOf, runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { bytes } from '../../../parts/amounts.ts'
import { Button } from '../../../parts/Button.tsx'
import { Confirm } from '../../../parts/Dialog.tsx'
import { Problem, TextArea } from '../../../parts/Field.tsx'
import { Shown } from '../../../parts/states.tsx'
import { Time } from '../../../parts/Time.tsx'
import { toast, toastError } from '../../../parts/toasts.tsx'
import { memoryFileQuery, memoryQuery } from '../../../queries/agents.ts'
import { brief } from '../../agents/brief.ts'
import style from './MemoryTab.module.css'

const route = getRouteApi('/frame/agents/$agentId')

export function MemoryFilePane({ agentId, path }: { agentId: string; path: string }) {
  const file = useQuery(memoryFileQuery(agentId, path))
  return (
    <section className={style.pane} aria-label={path}>
      <Shown query={file} what="the file">
        {(read) => <Editor agentId={agentId} file={read} />}
      </Shown>
    </section>
  )
}

function Editor({ agentId, file }: { agentId: string; file: MemoryFile }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const navigate = route.useNavigate()
  /** Undefined: nothing was typed, so what a run writes is shown. */
  const [typed, setTyped] = useState<{ text: string; generation: number }>()
  const [isDeleting, setDeleting] = useState(false)
  const text = typed?.text ?? file.content
  const isChanged = typed !== undefined && typed.text !== file.content
  const isOlder = typed !== undefined && typed.generation !== file.generation
  const learn = (next?: MemoryFile) => {
    if (next) queries.setQueryData(memoryFileQuery(agentId, file.path).queryKey, next)
    void queries.invalidateQueries({ queryKey: memoryQuery(agentId).queryKey })
  }
  const save = useMutation({
    mutationFn: (generation: number) =>
      runyard.memory.put(agentId, file.path, { content: text, expected_generation: generation }),
    onSuccess(next) {
      setTyped(undefined)
      learn(next)
      toast(`Saved “${brief(file.path)}”`)
    },
    onError(error) {
      if (error instanceof ConflictError) learn()
    },
  })
  const remove = useMutation({
    mutationFn: () => runyard.memory.delete(agentId, file.path, { expected_generation: file.generation }),
    onSuccess() {
      const { content, path } = file
      void navigate({ search: (now) => ({ ...now, file: undefined }), replace: true })
      learn()
      setDeleting(false)
      toast(`Deleted “${brief(path)}”`, () => {
        void runyard.memory.put(agentId, path, { content, expected_generation: 0 }).then(
          () => learn(),
          (error: unknown) => toastError('It could not be taken back', error),
        )
      })
    },
    onError: (error) => toastError(`“${brief(file.path)}” was not deleted`, error),
  })
  const cannot = unable('agents:write')
  return (
    <>
      <header className={style.paneHead}>
        <h3>{file.path}</h3>
        <p>
          version {file.generation}, written by{' '}
          {file.source_run_id ? (
            <Link className="link" to="/runs/$runId" params={{ runId: file.source_run_id }}>
              a run
            </Link>
          ) : file.source_type === 'run' ? (
            'a run'
          ) : (
            'a person'
          )}{' '}
          <Time at={file.updated_at} />
        </p>
      </header>
      {isOlder && (
        <div className={style.conflict} role="status">
          <p>Somebody wrote version {file.generation} while you typed. Saving replaces it with yours.</p>
          <Button onClick={() => setTyped(undefined)}>Take theirs</Button>
        </div>
      )}
      <TextArea
        aria-label={`Content of ${file.path}`}
        className={style.text}
        value={text}
        spellCheck={false}
        readOnly={cannot !== undefined}
        onChange={(event) => setTyped({ text: event.target.value, generation: typed?.generation ?? file.generation })}
      />
      {save.error && <Problem>{messageOf(save.error)}</Problem>}
      <footer className={style.paneFoot}>
        <span className="dim small">{bytes(new TextEncoder().encode(text).length)} of 262 KB</span>
        <span className={style.gap} />
        <Button kind="no" icon="trash" unable={cannot} onClick={() => setDeleting(true)}>
          Delete…
        </Button>
        {isChanged && <Button onClick={() => setTyped(undefined)}>Undo changes</Button>}
        <Button
          kind="go"
          isBusy={save.isPending}
          unable={cannot ?? (isChanged ? undefined : 'Nothing has changed.')}
          onClick={() => save.mutate(file.generation)}
        >
          Save
        </Button>
      </footer>
      <Confirm
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={`Delete the memory file “${brief(file.path)}”?`}
        verb="Delete"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        <p>Later runs do not find it any more.</p>
      </Confirm>
    </>
  )
}
