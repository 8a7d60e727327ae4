// Values as text of a program and of a shell, for samples that people copy.

/** How many characters a line may have before a value is spread over several. */
export const lineWidth = 88
/** The same for an object, which has the name of the method before it. */
const objectWidth = 58

/** Arguments of a call: on one line, or one a line where that would be too long. An object that is spread by itself may follow an id. */
export function argumentsText(values: unknown[]): string {
  const line = values.map((value) => literal(value)).join(', ')
  const [first = ''] = line.split('\n')
  if (values.length < 2 || first.length <= objectWidth) return line
  return `\n${values.map((value) => `  ${literal(value, '  ')},\n`).join('')}`
}

/** A value as TypeScript, on one line if it fits. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const inner = `${indent}  `
  const parts = isList
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(([name, item]) => `${keyText(name)}: ${literal(item, inner)}`)
  if (parts.length === 0) return isList ? '[]' : '{}'
  const line = isList ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`
  if (line.length <= objectWidth - indent.length && !line.includes('\n')) return line
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}

function keyText(name: string): string {
  // written as a plain key, it would be the prototype
  if (name === '__proto__') return "['__proto__']"
  return /^[a-z_$][\w$]*$/i.test(name) ? name : literal(name)
}

/** One word of a command line, whatever the text holds. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** A field as a flag of the command line: `agent_id` is `--agent-id`. */
export const flagOf = (name: string): string =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
