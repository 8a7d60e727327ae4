// A text on one line, for lists: its beginning, with every run of white space as one space.

export function oneLine(text: string, lengthMax: number): string {
  // what is looked at is bounded too: the text may be a file, or spaces alone
  const line = text
    .slice(0, lengthMax * 4)
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (line.length <= lengthMax && text.length <= lengthMax * 4) return line.toWellFormed()
  return `${line
    .slice(0, lengthMax - 1)
    .toWellFormed()
    .trimEnd()}…`
}
