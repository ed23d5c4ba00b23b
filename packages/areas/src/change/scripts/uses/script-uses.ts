// What uses a script: in answers what the caller sees of it, before a deletion all of it.
import { asSystem } from '@muster/db/database.ts'
import { AppError } from '@muster/kit/errors.ts'
import type { Call } from '../../../operation.ts'
import type { KeptScript, StoredScript } from '../scripts.contract.ts'
import type { UsedBy } from './used-by.contract.ts'

type Asking = Pick<Call, 'db' | 'caller' | 'services'>

async function visibleUses({ db, caller, services }: Asking, script: StoredScript): Promise<UsedBy[]> {
  const found: UsedBy[] = []
  for (const { kind, find } of services.scriptUses)
    found.push(...(await find(db, script, caller)).map((use) => ({ kind, ...use })))
  return found
}

/** A stored script in the form of answers. */
export const withUses = async (call: Asking, script: StoredScript): Promise<KeptScript> => ({
  ...script,
  usedBy: await visibleUses(call, script),
})

/** @throws CONFLICT with `usedBy` while anything uses the script, also beyond the reach of the caller */
export async function requireUnused(call: Asking, script: StoredScript): Promise<void> {
  const { system, scriptUses } = call.services
  const all = await asSystem(system, (db) => Promise.all(scriptUses.map(({ find }) => find(db, script, null))))
  if (all.every((uses) => uses.length === 0)) return
  const usedBy = await visibleUses(call, script)
  const kinds = [...new Set(usedBy.map(({ kind }) => kind))].join(', ')
  const words = kinds === '' ? 'outside of your reach' : `by: ${kinds}`
  throw new AppError('CONFLICT', `The script is used ${words}. Cancel or change what uses it first`, { usedBy })
}
