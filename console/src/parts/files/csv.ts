// Reads separated values as rows, with bounds: the file of an agent may be anything.

export interface Table {
  rows: string[][]
  /** Whether there is more than was read. */
  isCut: boolean
}

/** Quotes as in RFC 4180; a quote that is never closed ends with the text. */
export function readTable(text: string, separator: ',' | '\t' | ';', rowsMax = 1000, columnsMax = 100): Table {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let isQuoted = false
  const endCell = () => {
    if (row.length < columnsMax) row.push(cell)
    cell = ''
  }
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at)
    if (isQuoted) {
      if (letter !== '"') cell += letter
      else if (text.charAt(at + 1) === '"') {
        cell += '"'
        at += 1
      } else isQuoted = false
    } else if (letter === '"' && cell === '') isQuoted = true
    else if (letter === separator) endCell()
    else if (letter === '\n') {
      endCell()
      rows.push(row)
      row = []
      if (rows.length >= rowsMax) return { rows, isCut: at < text.length - 1 }
    } else if (letter !== '\r') cell += letter
  }
  if (cell !== '' || row.length > 0) {
    endCell()
    rows.push(row)
  }
  return { rows, isCut: false }
}

/** The separator that the first line has most of. */
export function separatorOf(text: string): ',' | '\t' | ';' {
  const line = text.slice(0, 2000).split('\n', 1)[0] ?? ''
  const many = (separator: string) => line.split(separator).length
  return many('\t') > many(',') ? '\t' : many(';') > many(',') ? ';' : ','
}
