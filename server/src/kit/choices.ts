// The answers that somebody chose for a question: one text, a list, or, for a multi-select question, one text with commas.

interface Asked {
  options?: readonly { label: string }[] | undefined
  multi_select?: boolean | undefined
}

/** Gives each choice once, without empty ones. A text that equals one of the labels stays whole, whatever commas it has. */
export function choicesOf({ options, multi_select }: Asked, answer: string | string[] | undefined): string[] {
  const isList = typeof answer === 'string' && multi_select === true && !options?.some(({ label }) => label === answer)
  const chosen = isList ? answer.split(',').map((text) => text.trim()) : [answer ?? []].flat()
  return [...new Set(chosen)].filter((text) => text.trim() !== '')
}
