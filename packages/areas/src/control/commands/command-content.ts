// Payload and result of a command may contain secrets: only callers who may send such a command see them.
import { type Caller, hasPermission, requirePermission } from '@muster/kit/access.ts'
import type { Permission } from '@muster/kit/vocabulary.ts'
import { commandType } from './command-registry.ts'
import { type Command, QueuedCommand, type ShownCommand } from './commands.contract.ts'

/** Only callers with all permissions see commands of unknown types. */
function permissionFor(type: string): Permission {
  const known = QueuedCommand.safeParse(type)
  return known.success ? commandType(known.data).permission : '*:*'
}

export const maySeeContent = (caller: Pick<Caller, 'permissions'>, type: string): boolean =>
  hasPermission(caller, permissionFor(type))

/** @throws FORBIDDEN */
export function requireContent(caller: Pick<Caller, 'permissions'>, type: string): void {
  requirePermission(caller, permissionFor(type))
}

/** The command as the caller may see it. */
export const shownTo = (caller: Pick<Caller, 'permissions'>, command: Command): ShownCommand =>
  maySeeContent(caller, command.type)
    ? command
    : { ...command, payload: null, result: null, stdout: null, stderr: null }
