import { consecutively } from '@muster/db/database.ts'
import { sql } from 'kysely'
import type { Call } from '../../../operation.ts'
import type { Command } from '../commands.contract.ts'
import { commandsOfRequest } from '../commands.queries.ts'
import { requireSameRequest } from './request-key.ts'
import type { CommandOrder } from './validate-order.ts'

/** The commands that an earlier identical request created. Concurrent ones wait for each other. */
export async function knownCommands({ db }: Pick<Call, 'db'>, order: CommandOrder): Promise<Command[]> {
  if (order.requestKey === undefined) return []
  const turn = sql`SELECT pg_advisory_xact_lock(hashtextextended(${order.requestKey}, 0))`
  const known = await consecutively(db, turn, commandsOfRequest(order.requestKey))
  requireSameRequest(known, order)
  return known
}
