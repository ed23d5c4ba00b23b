import { Power, PowerResult } from '@muster/wire/commands/power.ts'
import type { Machine } from '../machine.ts'
import { type Tools, tool } from './tool.ts'

type Action = 'reboot' | 'shutdown'

/** How long a machine is off. One that was shut down is turned on again, so that the demo keeps its machines. */
const offMs = { reboot: 15_000, shutdown: 120_000 } as const

/** The answers to a restart and a shutdown. The connection ends when `absenceAfter` says so. */
export function powerTools({ platform: { osType } }: Machine): Tools {
  const answer = (action: Action) =>
    tool(Power, PowerResult, ({ delaySeconds, dryRun }) => ({
      action,
      delaySeconds,
      dryRun,
      command:
        osType === 'windows'
          ? `InitiateSystemShutdownExW ${action}`
          : `shutdown ${action === 'reboot' ? '-r' : '-h'} now`,
    }))
  return { reboot: answer('reboot'), shutdown: answer('shutdown') }
}

export interface Absence {
  /** From the result on. */
  readonly inMs: number
  readonly offMs: number
}

/** When a machine that gave this result goes offline, and for how long; undefined if it stays. */
export function absenceAfter(type: string, result: unknown): Absence | undefined {
  if (type !== 'reboot' && type !== 'shutdown') return undefined
  const given = PowerResult.safeParse(result)
  if (!given.success || given.data.dryRun) return undefined
  return { inMs: given.data.delaySeconds * 1_000, offMs: offMs[type] }
}
