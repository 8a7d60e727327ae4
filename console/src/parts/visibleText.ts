// Text of strangers in which nothing can hide: characters that are invisible, or that turn the order of others around, are written out.

/** Controls, marks of direction, blanks without a width, tags, and halves of characters. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** A line break, a tab, and the mark that draws a character as a picture hide nothing. */
const harmless = new Set(['\n', '\t', '\ufe0f'])

const escape = (character: string): string =>
  harmless.has(character)
    ? character
    : Array.from(
        { length: character.length },
        (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
      ).join('')

/** Hidden characters become `\u202e`, as JSON writes them. */
export const visible = (text: string): string => text.replace(hidden, escape)

/** A text in quotes, as JSON. */
export const quoted = (text: string): string => visible(JSON.stringify(text))
