// The states of a batch's gates as they are stored, in the order of the strategy.
import type { Db } from '@muster/db/database.ts'
import { z } from 'zod'
import { type Gate, GateState } from './gate.contract.ts'

const Stored = z.array(GateState)

const expectedOf = (gate: Gate): number | null => {
  switch (gate.type) {
    case 'online':
    case 'filter':
      return gate.percent
    case 'alerts':
      return gate.max
    case 'metric':
      return gate.worseByPercent
    case 'person':
      return null
  }
}

/** The states of the gates, also of those that were not looked at. */
export function gateStates(gates: readonly Gate[], stored: unknown): GateState[] {
  const known = Stored.parse(stored)
  return gates.map((gate, index) => ({
    ...{ status: 'waiting', actual: null, since: null, passedBy: null },
    ...known[index],
    type: gate.type,
    expected: expectedOf(gate),
  }))
}

export const storeGates = (db: Db, deploymentId: string, batch: number, states: readonly GateState[]) =>
  db
    .updateTable('deploymentBatches')
    .set({ gates: JSON.stringify(states) })
    .where('deploymentId', '=', deploymentId)
    .where('number', '=', batch)
    .execute()

/** The states of the gates of one batch. */
export async function readGates(
  db: Db,
  deploymentId: string,
  batch: number,
  gates: readonly Gate[],
): Promise<GateState[]> {
  const row = await db
    .selectFrom('deploymentBatches')
    .select('gates')
    .where('deploymentId', '=', deploymentId)
    .where('number', '=', batch)
    .executeTakeFirst()
  return gateStates(gates, row?.gates ?? [])
}
