import type { CommandStatus } from '@muster/areas/control/commands/commands.contract.ts'
import { useEffect, useState } from 'react'
import { statusOf } from '../../../api.ts'
import { followOutput, type OutputSource } from './followOutput.ts'

interface Output {
  /** Null until the first word of it. */
  readonly status: CommandStatus | null
  readonly exitCode: number | null
  readonly error: string | null
  /** Both streams as they came, errors in red. */
  readonly text: string
  readonly isCutOff: boolean
  /** Why it can never be had. */
  readonly failure: unknown
}
const nothing: Output = { status: null, exitCode: null, error: null, text: '', isCutOff: false, failure: null }
const red = (text: string) => `\u001b[31m${text}\u001b[39m`

/** Output as it comes. It goes on where it was when the connection comes back. */
export function useOutput({ kind, id, deviceId }: OutputSource): Output {
  const [output, setOutput] = useState(nothing)
  useEffect(() => {
    setOutput(nothing)
    return followOutput(
      { kind, id, deviceId },
      {
        take(event) {
          setOutput((now) => {
            if (event.type === 'output') {
              const text = event.stream === 'stderr' ? red(event.output) : event.output
              return { ...now, isCutOff: false, text: now.text + text }
            }
            const { type: _type, ...told } = event
            return { ...now, ...told, isCutOff: false }
          })
        },
        cutOff: () => setOutput((now) => ({ ...now, isCutOff: true })),
        fail: (error) => setOutput((now) => ({ ...now, failure: statusOf(error) === undefined ? null : error })),
      },
    )
  }, [kind, id, deviceId])
  return output
}
