// A form made from a JSON Schema that an agent wrote. Nothing is chosen beforehand; what is wrong stands at its field.
import { useId, useState, type ReactNode } from 'react'
import { useSetting } from '../app/settings.ts'
import { classes } from '../look/classes.ts'
import { Button } from './Button.tsx'
import { fromLocalTime, toLocalTime } from './dateTime.ts'
import { Field, Input, Problem, Select, TextArea } from './Field.tsx'
import {
  formOf,
  type ChoiceField,
  type Field as FormField,
  type GroupField,
  type JsonField,
  type ListField,
  type NumberField,
  type TextField,
} from './schemaFields.ts'
import style from './SchemaForm.module.css'
import { pathOf, propertyOf, Unreadable, type Problems } from './schemaValue.ts'

export { checkForm, emptyForm, filledForm, refusalOf, type Problems } from './schemaValue.ts'

interface SchemaFormProps {
  schema: unknown
  /** Begins with `emptyForm(schema)`; `filledForm(schema, value)` is what is sent. */
  value: unknown
  onChange: (value: unknown) => void
  /** By the path of a field: from `checkForm`, or from `refusalOf` when the service refused. */
  problems?: Problems
  /** Why nothing can be changed, as a sentence; undefined: it can. */
  unable?: string | undefined
}

const noProblems: Problems = {}

export function SchemaForm({ schema, value, onChange, problems = noProblems, unable }: SchemaFormProps) {
  const form = formOf(schema)
  const whole = problems['']
  const around = { problems, isOff: unable !== undefined }
  return (
    <div className={style.form} title={unable}>
      {form.kind === 'group' ? (
        <>
          {whole !== undefined && <Problem>{whole}</Problem>}
          <Fields of={form} value={value} onChange={onChange} path="" {...around} />
        </>
      ) : (
        <Json field={{ ...form, label: 'Values as JSON' }} value={value} onChange={onChange} path="" {...around} />
      )}
    </div>
  )
}

interface Around {
  problems: Problems
  isOff: boolean
}

interface PartProps<Kind> extends Around {
  field: Kind
  value: unknown
  onChange: (value: unknown) => void
  path: string
}

function Fields({ of, value, onChange, path, ...around }: Omit<PartProps<GroupField>, 'field'> & { of: GroupField }) {
  const before = typeof value === 'object' && value !== null ? value : {}
  return (
    <div className={style.fields}>
      {of.fields.map((field) => (
        <One
          key={field.name}
          field={field}
          value={propertyOf(value, field.name)}
          onChange={(next) => onChange({ ...before, [field.name]: next })}
          path={pathOf(path, field.name)}
          {...around}
        />
      ))}
    </div>
  )
}

function One({ field, ...props }: PartProps<FormField>) {
  if (field.kind === 'text') return <Text field={field} {...props} />
  if (field.kind === 'number') return <Numeric field={field} {...props} />
  if (field.kind === 'choice') return <Choice field={field} {...props} />
  if (field.kind === 'group') return <Group field={field} {...props} />
  if (field.kind === 'list') return <Rows field={field} {...props} />
  return <Json field={field} {...props} />
}

function Labelled({
  field,
  problem,
  isWide,
  hint,
  children,
}: {
  field: FormField
  problem: string | undefined
  isWide?: boolean
  hint?: string | undefined
  children: ReactNode
}) {
  return (
    <div className={classes(isWide && style.wide)}>
      <Field label={<Label field={field} />} hint={hint ?? field.about} problem={problem}>
        {children}
      </Field>
    </div>
  )
}

const Label = ({ field: { label, isRequired } }: { field: FormField }) => (
  <>
    {label || 'Value'}
    {!isRequired && <span className={style.optional}> optional</span>}
  </>
)

function Text({ field, value, onChange, path, problems, isOff }: PartProps<TextField>) {
  const zone = useSetting('zone')
  const text = typeof value === 'string' ? value : ''
  const problem = problems[path]
  const change = (next: string) => onChange(next === '' ? undefined : next)
  if (field.isLong)
    return (
      <Labelled field={field} problem={problem} isWide>
        <TextArea rows={3} value={text} disabled={isOff} onChange={(event) => change(event.target.value)} />
      </Labelled>
    )
  if (field.format === 'date-time')
    return (
      <Labelled field={field} problem={problem} hint={field.about ?? (zone === 'utc' ? 'In UTC' : 'In your time zone')}>
        <Input
          type="datetime-local"
          step={1}
          value={toLocalTime(text, zone)}
          disabled={isOff}
          onChange={(event) => onChange(fromLocalTime(event.target.value, zone))}
        />
      </Labelled>
    )
  const type = { date: 'date', email: 'email', uri: 'url', none: 'text' }[field.format ?? 'none']
  return (
    <Labelled field={field} problem={problem}>
      <Input type={type} value={text} disabled={isOff} onChange={(event) => change(event.target.value)} />
    </Labelled>
  )
}

/** `1,234.5` and `1 234.5` are typed by people; a comma alone may be a decimal point, so it is not guessed. */
function readNumber(text: string): number | undefined {
  const plain = text.trim().replaceAll(/(?<=\d)[ \u00a0_](?=\d)/g, '')
  const number = Number(/^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain) ? plain.replaceAll(',', '') : plain)
  return plain === '' || !Number.isFinite(number) || /[xob]/i.test(plain) ? undefined : number
}

function Numeric({ field, value, onChange, path, problems, isOff }: PartProps<NumberField>) {
  const [typed, setTyped] = useState('')
  const text = value instanceof Unreadable ? value.text : typeof value !== 'number' ? '' : String(value)
  return (
    <Labelled field={field} problem={problems[path]}>
      <Input
        inputMode={field.isWhole ? 'numeric' : 'decimal'}
        className={style.short}
        // what was typed stays as it was, as long as it means the same
        value={typeof value === 'number' && readNumber(typed) === value ? typed : text}
        disabled={isOff}
        onChange={({ target: { value: next } }) => {
          setTyped(next)
          onChange(next.trim() === '' ? undefined : (readNumber(next) ?? new Unreadable(next)))
        }}
      />
    </Labelled>
  )
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Up to here all choices are seen at once. */
const seenMax = 7
const besideMax = 5
const besideCharacters = 44

function Choice(props: PartProps<ChoiceField>) {
  const { field, value, onChange, path, problems, isOff } = props
  if (field.several || field.options.length <= seenMax) return <SeenChoice {...props} />
  const at = field.options.findIndex((option) => same(option.value, value))
  return (
    <Labelled field={field} problem={problems[path]} hint={aboutChoice(field)}>
      <Select
        value={at < 0 ? '' : String(at)}
        disabled={isOff}
        options={[
          { value: '', label: 'Choose…' },
          ...field.options.map(({ label }, index) => ({ value: String(index), label })),
        ]}
        onChange={(event) =>
          onChange(event.target.value === '' ? undefined : field.options[Number(event.target.value)]?.value)
        }
      />
    </Labelled>
  )
}

/** A proposal is said, not chosen. */
function aboutChoice({ about, proposed, options, several }: ChoiceField): string | undefined {
  const wanted: unknown[] = several && Array.isArray(proposed) ? proposed : [proposed]
  const names = options.filter(({ value }) => wanted.some((one) => same(one, value))).map(({ label }) => label)
  const words = names.length > 0 ? `Proposed: ${names.join(', ')}.` : undefined
  return [about, words].filter(Boolean).join(' ') || undefined
}

function SeenChoice({ field, value, onChange, path, problems, isOff }: PartProps<ChoiceField>) {
  const id = useId()
  const { options, several, isRequired } = field
  const chosen: unknown[] = several ? (Array.isArray(value) ? value : []) : value === undefined ? [] : [value]
  const isChosen = (one: unknown) => chosen.some((other) => same(one, other))
  const characters = options.reduce((sum, { label }) => sum + label.length + 3, 0)
  const isShort = characters <= besideCharacters
  const isBeside = !several && isShort && options.length <= besideMax
  const about = aboutChoice(field)
  const problem = problems[path]
  const choose = (one: unknown) => {
    if (!several) return onChange(one)
    const rest = chosen.filter((other) => !same(one, other))
    onChange(rest.length < chosen.length ? rest : [...chosen, one])
  }
  return (
    <fieldset
      className={classes(style.choice, !isShort && style.wide)}
      aria-describedby={
        classes(about !== undefined && `${id}-about`, problem !== undefined && `${id}-problem`) || undefined
      }
    >
      <legend>
        <Label field={field} />
        {!isRequired && !several && chosen.length > 0 && !isOff && (
          <button type="button" className={style.clear} onClick={() => onChange(undefined)}>
            clear
          </button>
        )}
      </legend>
      <div
        className={isBeside ? style.beside : classes(style.below, several && isShort && style.chips)}
        data-invalid={problem !== undefined || undefined}
      >
        {options.map((option, at) => (
          <label key={at}>
            <input
              type={several ? 'checkbox' : 'radio'}
              name={id}
              checked={isChosen(option.value)}
              disabled={isOff}
              onChange={() => choose(option.value)}
            />
            <span>{option.label}</span>
          </label>
        ))}
      </div>
      {about !== undefined && (
        <p id={`${id}-about`} className={style.about}>
          {about}
        </p>
      )}
      {problem !== undefined && <Problem id={`${id}-problem`}>{problem}</Problem>}
    </fieldset>
  )
}

function Group({ field, path, problems, ...props }: PartProps<GroupField>) {
  return (
    <fieldset className={classes(style.group, style.wide)}>
      <legend>
        <Label field={field} />
      </legend>
      {field.about !== undefined && <p className={style.about}>{field.about}</p>}
      {problems[path] !== undefined && <Problem>{problems[path]}</Problem>}
      <Fields of={field} path={path} problems={problems} {...props} />
    </fieldset>
  )
}

function Rows({ field, value, onChange, path, problems, isOff }: PartProps<ListField>) {
  const rows: unknown[] = Array.isArray(value) ? value : []
  const { item, max } = field
  return (
    <fieldset className={classes(style.group, style.wide)}>
      <legend>
        <Label field={field} />
      </legend>
      {field.about !== undefined && <p className={style.about}>{field.about}</p>}
      {problems[path] !== undefined && <Problem>{problems[path]}</Problem>}
      {rows.map((row, at) => (
        <div key={at} className={style.entry}>
          <One
            field={{ ...item, label: `${item.label || field.label} ${at + 1}` }}
            value={row}
            onChange={(next) => onChange(rows.with(at, next))}
            path={pathOf(path, at)}
            problems={problems}
            isOff={isOff}
          />
          <Button
            kind="quiet"
            icon="cross"
            aria-label={`Remove ${item.label || field.label} ${at + 1}`}
            unable={isOff ? 'This cannot be changed now.' : undefined}
            onClick={() => onChange(rows.toSpliced(at, 1))}
          />
        </div>
      ))}
      <Button
        icon="plus"
        unable={isOff ? 'This cannot be changed now.' : rows.length >= max ? `There can be at most ${max}.` : undefined}
        onClick={() => onChange([...rows, item.kind === 'group' ? {} : undefined])}
      >
        Add {rows.length > 0 ? 'another' : 'one'}
      </Button>
    </fieldset>
  )
}

/** JSON as text. What cannot be read stays there until it can. */
function Json({ field, value, onChange, path, problems, isOff }: PartProps<JsonField>) {
  const [typed, setTyped] = useState<{ text: string; value: unknown }>()
  const text =
    typed && typed.value === value
      ? typed.text
      : value instanceof Unreadable
        ? value.text
        : value === undefined
          ? ''
          : JSON.stringify(value, null, 2)
  const isBroken = value instanceof Unreadable && value.text.trim() !== ''
  return (
    <Labelled
      field={field}
      isWide
      hint={
        field.about ??
        (field.takes === 'array' ? 'A list, as JSON' : field.takes === 'object' ? 'An object, as JSON' : 'JSON')
      }
      problem={problems[path] ?? (isBroken ? 'This is not JSON yet.' : undefined)}
    >
      <TextArea
        rows={4}
        className="mono"
        spellCheck={false}
        value={text}
        disabled={isOff}
        onChange={({ target: { value: next } }) => {
          const read = readJson(next)
          setTyped({ text: next, value: read })
          onChange(read)
        }}
      />
    </Labelled>
  )
}

function readJson(text: string): unknown {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return new Unreadable(text)
  }
}
