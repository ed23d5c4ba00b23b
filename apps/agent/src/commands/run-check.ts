import { RunCheck } from '@muster/wire/commands/checks.ts'
import type { Checkers } from '../checks/check.ts'
import { roundOf } from '../checks/check-schedule.ts'
import { type CommandKind, defineCommand } from './command.ts'

/** One round of a check, for a person who waits. */
export const runCheck = (checkers: Checkers): CommandKind =>
  defineCommand(RunCheck, async ({ assigned }, { signal }) => {
    const finding = await roundOf(checkers, assigned, signal)
    return { status: 'completed', result: { ...finding } }
  })
