// The keys that sign script grants. They are in a file of their own, because only admin may have them.
import { z } from 'zod'
import { readKeyFile } from './key-file.ts'
import { OrderKeyStatement, orderKeysMax, orderStatementsMax } from './order-keys.ts'
import { firstStated, PrivateKey, retireStated, rotateStated, type StatedKeys } from './signing-keys.ts'

const GrantKeyring = z.object({
  /** Newest first; the first signs. */
  grants: z.array(PrivateKey).min(1).max(orderKeysMax),
  /** Which of these keys agents trust, oldest statement first; each is signed by a key of the one before. */
  grantStatements: z.array(OrderKeyStatement).min(1).max(orderStatementsMax),
})
export type GrantKeyring = z.infer<typeof GrantKeyring>

export const readGrantKeyring = (path: string): GrantKeyring => readKeyFile(path, GrantKeyring)

const purpose = 'grants'
const ofStated = ({ keys: grants, statements: grantStatements }: StatedKeys): GrantKeyring => ({
  grants,
  grantStatements,
})
const toStated = ({ grants: keys, grantStatements: statements }: GrantKeyring): StatedKeys => ({ keys, statements })

export const createGrantKeyring = (): GrantKeyring => ofStated(firstStated(purpose))

/** One more key in front: it signs from now on. Agents follow, because the key before signed the statement. */
export const rotateGrants = (keyring: GrantKeyring): GrantKeyring => ofStated(rotateStated(toStated(keyring), purpose))

/** Only the newest key. */
export const retireGrants = (keyring: GrantKeyring): GrantKeyring => ofStated(retireStated(toStated(keyring), purpose))
