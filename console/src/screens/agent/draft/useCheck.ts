// What the server's own parser says about a config, asked while somebody types.
import type { BuildConfig, CheckProcedureAnswer } from '@runyard/sdk'
import { useEffect, useState } from 'react'
import { noticeError, runyard } from '../../../app/client.ts'
import { procedureOf } from './buildConfig.ts'

export interface Checked {
  /** The config that it is about; what is typed now may be newer. */
  config: BuildConfig
  answer: CheckProcedureAnswer
}

/** Long enough that a word is not checked letter by letter, short enough that the answer feels immediate. */
const pauseMs = 250

/** `onAnswer` gets each answer with its config; undefined: the server could not be asked. */
export function useCheck(
  config: BuildConfig | undefined,
  onAnswer: (config: BuildConfig, answer: CheckProcedureAnswer | undefined) => void,
): Checked | undefined {
  const [checked, setChecked] = useState<Checked>()
  const isFirst = checked === undefined
  useEffect(() => {
    if (!config) return undefined
    const stop = new AbortController()
    const ask = async () => {
      try {
        const answer = await runyard.agents.checkProcedure(
          { input: procedureOf(config), config },
          { signal: stop.signal },
        )
        if (stop.signal.aborted) return
        setChecked({ config, answer })
        onAnswer(config, answer)
      } catch (error) {
        if (stop.signal.aborted) return
        noticeError(error)
        onAnswer(config, undefined)
      }
    }
    const timer = setTimeout(() => void ask(), isFirst ? 0 : pauseMs)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- asked once for each config
  }, [config])
  return checked
}
