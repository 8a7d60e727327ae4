// Makes an agent: blank, from a template, or described to the builder.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { classes } from '../../look/classes.ts'
import { Field, Input, TextArea } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { toastError } from '../../parts/toasts.tsx'
import style from './NewAgent.module.css'
import { beginnings, type Beginning } from './search.ts'
import { templates } from './templates.ts'

interface NewAgentProps {
  beginning: Beginning
  onBeginning: (beginning: Beginning) => void
  onClose: () => void
}

const words: Record<Beginning, { name: string; says: string; verb: string }> = {
  blank: { name: 'Blank', says: 'A small procedure that runs and is meant to be edited.', verb: 'Make it' },
  template: { name: 'From a template', says: 'One of six procedures, each for one kind of work.', verb: 'Make it' },
  described: {
    name: 'Described',
    says: 'Say what it shall do; the builder proposes a procedure.',
    verb: 'Describe it',
  },
}

const nameMax = 100

export function NewAgent({ beginning, onBeginning, onClose }: NewAgentProps) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [templateId, setTemplateId] = useState<string>()
  const [prompt, setPrompt] = useState('')
  const template = templates.find(({ id }) => id === templateId)
  const make = useMutation({
    async mutationFn() {
      const made = await runyard.agents.create({
        name: name.trim(),
        ...(beginning === 'template' && template && { instructions: template.procedure, description: template.says }),
      })
      if (beginning !== 'described') return { agentId: made.agent_id, buildId: undefined }
      // the agent is there, whatever becomes of the proposal
      const begun = await runyard.agents.generateRevision(made.build_id, { prompt }).catch((error: unknown) => {
        toastError('The agent is made, but the builder did not begin', error)
        return undefined
      })
      return { agentId: made.agent_id, buildId: begun?.build_id }
    },
    onSuccess({ agentId, buildId }) {
      void queries.invalidateQueries({ queryKey: ['agents'] })
      void navigate({
        to: '/agents/$agentId',
        params: { agentId },
        search: buildId === undefined ? {} : { build: buildId, panel: 'builder' },
      })
    },
  })
  const unable =
    name.trim() === ''
      ? 'Give it a name first.'
      : beginning === 'template' && !template
        ? 'Choose a template first.'
        : beginning === 'described' && prompt.trim() === ''
          ? 'Say first what it shall do.'
          : undefined
  return (
    <FormDialog
      title="New agent"
      onClose={onClose}
      verb={words[beginning].verb}
      unable={unable}
      isBusy={make.isPending}
      error={make.error}
      onSend={() => make.mutate()}
    >
      <Field label="Name" isRequired>
        <Input
          value={name}
          maxLength={nameMax}
          placeholder="Refund desk"
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      <fieldset className={style.choices}>
        <legend>How it begins</legend>
        {beginnings.map((one) => (
          <label key={one} className={classes(style.choice, one === beginning && style.chosen)}>
            <input type="radio" name="beginning" checked={one === beginning} onChange={() => onBeginning(one)} />
            <b>{words[one].name}</b>
            <small>{words[one].says}</small>
          </label>
        ))}
      </fieldset>
      {beginning === 'template' && (
        <fieldset className={style.templates}>
          <legend>Template</legend>
          {templates.map(({ id, name: title, says }) => (
            <label key={id} className={classes(style.choice, id === templateId && style.chosen)}>
              <input
                type="radio"
                name="template"
                checked={id === templateId}
                onChange={() => {
                  setTemplateId(id)
                  if (name.trim() === '' || templates.some((one) => one.name === name)) setName(title)
                }}
              />
              <b>{title}</b>
              <small>{says}</small>
            </label>
          ))}
        </fieldset>
      )}
      {beginning === 'described' && (
        <Field
          label="What shall it do?"
          hint="It asks where something is unclear. Nothing goes live until you accept it."
        >
          <TextArea
            rows={6}
            maxLength={32_768}
            value={prompt}
            placeholder="Sort incoming invoices by supplier. Check that each has an amount and a due date. Done when every invoice is filed."
            onChange={(event) => setPrompt(event.target.value)}
          />
        </Field>
      )}
    </FormDialog>
  )
}
