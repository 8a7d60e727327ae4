// What the agents of a drill do: calls that may be repeated and calls that may not, memory written between them, a sub-run, an approval.

/** A block of a procedure. */
export const block = (word: string, body: string): string => `\`\`\`${word}\n${body}\n\`\`\`\n`

export const memoryPath = 'progress.md'
export const memoryWritesPerRun = 2
export const helperName = 'Helper'

export const procedure = (url: string): string =>
  [
    block('http id=look', `GET ${url}/look`),
    block(`memory path=${memoryPath}`, 'looked in {{ run.id }}'),
    block('http id=pay', `POST ${url}/pay\n\nonce`),
    block('approve id=allow', 'May the drill go on?'),
    block(`memory path=${memoryPath}`, 'paid in {{ run.id }}'),
    block(`agent name=${helperName}`, 'tell them'),
    block('http id=check', `GET ${url}/check`),
    block('output', 'done'),
  ].join('\n')

export const helperProcedure = (url: string): string =>
  [block('http id=tell', `POST ${url}/tell\n\nonce`), block('output', 'told')].join('\n')
