// What an editor offers while one types: the words of procedures, as the service knows them.

export interface Word {
  name: string
  /** What it is, in a sentence. */
  says: string
}

export interface Option extends Word {
  /** The values it can have; empty: any. */
  values: string[]
}

export interface BlockWords extends Word {
  options: Option[]
}

export interface Language {
  blocks: BlockWords[]
  filters: Word[]
  /** What an expression can begin with: `message`, `steps`, `run` … Each with the fields that are known. */
  roots: (Word & { fields: Word[] })[]
  /** The fields of a step: `output`, `ok` … */
  stepFields: Word[]
}
