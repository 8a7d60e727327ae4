// Finds a program file beside another one. In the repository both are .ts, in a bundle both are .mjs.
import { extname } from 'node:path'

/** `name` has no ending: it gets that of `file`, the URL of the file that asks. */
export const besideFile = (name: string, file: string): URL => new URL(`${name}${extname(file)}`, file)
