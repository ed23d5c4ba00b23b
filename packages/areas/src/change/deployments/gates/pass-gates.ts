// Gates that a person passes.
import type { Db } from '@muster/db/database.ts'
import { conflict } from '@muster/kit/errors.ts'
import { Strategy } from '../batches/strategy.contract.ts'
import type { Row } from '../deployments.queries.ts'
import type { GateState } from './gate.contract.ts'
import { readGates, storeGates } from './stored-gates.ts'

async function pass(db: Db, row: Row, userId: string, isPassed: (gate: GateState) => boolean): Promise<void> {
  const states = await gatesOf(db, row)
  const since = new Date().toISOString()
  const passed = { status: 'green' as const, since, passedBy: userId }
  await storeGates(
    db,
    row.id,
    row.currentBatch,
    states.map((gate) => (isPassed(gate) ? { ...gate, ...passed } : gate)),
  )
}

const gatesOf = (db: Db, row: Row) => readGates(db, row.id, row.currentBatch, Strategy.parse(row.strategy).gates)

const waitsForPerson = ({ type, status, since }: GateState) =>
  type === 'person' && status === 'waiting' && since !== null

/** @throws CONFLICT unless a gate of the batch waits for a person */
export async function requireWaiting(db: Db, row: Row, batch: number): Promise<void> {
  const isCurrent = row.status === 'running' && batch === row.currentBatch
  if (!isCurrent || !(await gatesOf(db, row)).some(waitsForPerson))
    throw conflict(`Batch ${batch} does not wait for a person`)
}

/** Passes the gates of the current batch that wait for a person. */
export const passPersonGates = (db: Db, row: Row, userId: string): Promise<void> =>
  pass(db, row, userId, waitsForPerson)

/** Passes the gates that halted a deployment: who resumes it accepts them. */
export const acceptGates = (db: Db, row: Row, userId: string): Promise<void> =>
  pass(db, row, userId, ({ type, status }) => type !== 'person' && status !== 'green')
