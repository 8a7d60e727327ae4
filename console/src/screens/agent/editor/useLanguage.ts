// The words of procedures, asked from the service once.
import type { Language } from './language.ts'

export const useLanguage = (): Language | undefined => undefined
