import type { Db } from '@muster/db/database.ts'
import { type Transaction, transactionOf } from '@muster/db/transaction.ts'
import type { EventCause } from './event-type.contract.ts'

/** Gives the events that this work stores a cause, in the open transaction. Without one they keep the cause of the transaction. */
export async function causedBy<T>(
  to: Db | Transaction,
  cause: EventCause | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (cause === undefined) return work()
  const transaction = 'selectFrom' in to ? transactionOf(to) : to
  const set = async (value: string) => {
    await transaction.query({ text: `SELECT set_config('muster.cause', $1, true)`, values: [value] })
  }
  const { rows } = await transaction.query<{ before: string | null }>({
    text: `SELECT current_setting('muster.cause', true) AS before`,
    values: [],
  })
  await set(JSON.stringify(cause))
  const done = await work()
  await set(rows[0]?.before ?? '')
  return done
}
