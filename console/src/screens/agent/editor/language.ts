// The words of procedures, as the service knows them: what an editor offers while one types.
import type { GetProcedureLanguageAnswer, ProcedureWord } from '@runyard/sdk'

export type Language = GetProcedureLanguageAnswer
export type Word = ProcedureWord
