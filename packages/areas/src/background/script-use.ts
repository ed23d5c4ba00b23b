// What runs a script or will run it, declared by the area that it belongs to. A script that is used is not deleted: what stores a
// use reads the script with `scriptToUse` in the same transaction.
import type { Db } from '@muster/db/database.ts'
import type { Caller } from '@muster/kit/access.ts'
import type { UsedBy } from '../change/scripts/uses/used-by.contract.ts'

export interface UsedScript {
  readonly id: string
  readonly partnerId: string
}

/** Shows no more of one kind. */
export const shownUses = 20

export interface ScriptUse {
  readonly kind: UsedBy['kind']
  /**
   * What uses the script, at most `shownUses`.
   * @param caller sees what is within reach; null for all of it
   * @param db of the system login if the caller is null
   */
  find(db: Db, script: UsedScript, caller: Caller | null): Promise<readonly Omit<UsedBy, 'kind'>[]>
}

export const scriptUse = (declared: ScriptUse): ScriptUse => declared
