// npm run keys -- create <key file> <device key file>
// npm run keys -- complete <key file> <device key file>
// npm run keys -- rotate accessTokens|deviceCertificates|encryption|tickets|orders <key file> <device key file>
// npm run keys -- retire orders <key file> <device key file>
// npm run keys -- create|rotate|retire grants <grant key file>
// npm run keys -- redis <folder> [<host>:<port>]
import { chmodSync, statSync, writeFileSync } from 'node:fs'
import {
  createGrantKeyring,
  type GrantKeyring,
  readGrantKeyring,
  retireGrants,
  rotateGrants,
} from '@muster/kit/secrets/grant-keyring.ts'
import {
  completeKeyring,
  createKeyring,
  deviceKeyring,
  type Keyring,
  type RotatableKind,
  readKeyring,
  retireOrders,
  rotatableKinds,
  rotateKeyring,
} from '@muster/kit/secrets/keyring.ts'
import { redisLoginsUsage, writeRedisLogins } from './redis-login-files.ts'

const usage = `usage: npm run keys -- create <key file> <device key file>
       npm run keys -- complete <key file> <device key file>
       npm run keys -- rotate accessTokens|deviceCertificates|encryption|tickets|orders <key file> <device key file>
       npm run keys -- retire orders <key file> <device key file>
       npm run keys -- create|rotate|retire grants <grant key file>
       ${redisLoginsUsage}

complete adds keys of the kinds that files of an earlier version do not have.
retire leaves only the newest key that signs orders or grants: agents stop trusting the others.
Only admin may read the grant key file.`

const isRotatable = (kind: string): kind is RotatableKind => rotatableKinds.some((known) => known === kind)

function write(keyring: Keyring, file: string, deviceFile: string, flag: 'w' | 'wx') {
  writeFileSync(file, `${JSON.stringify(keyring, null, 2)}\n`, { mode: 0o600, flag })
  writeFileSync(deviceFile, `${JSON.stringify(deviceKeyring(keyring), null, 2)}\n`, { mode: 0o600, flag })
  // Before tickets were added, the device key file held only public keys and was readable.
  chmodSync(deviceFile, statSync(deviceFile).mode & 0o660)
}

const writeGrants = (keyring: GrantKeyring, file: string, flag: 'w' | 'wx') =>
  writeFileSync(file, `${JSON.stringify(keyring, null, 2)}\n`, { mode: 0o600, flag })

/** Creates or changes a file of grant keys. */
function grants(verb: string | undefined, file: string): void {
  if (verb === 'create') writeGrants(createGrantKeyring(), file, 'wx')
  else if (verb === 'rotate') writeGrants(rotateGrants(readGrantKeyring(file)), file, 'w')
  else if (verb === 'retire') writeGrants(retireGrants(readGrantKeyring(file)), file, 'w')
  else throw new Error(usage)
}

function main([verb, ...words]: string[]): void {
  const [first = '', second = '', third = ''] = words
  if (first === 'grants' && second !== '') grants(verb, second)
  else if (verb === 'create' && second !== '') write(createKeyring(), first, second, 'wx')
  else if (verb === 'complete' && second !== '') write(completeKeyring(readKeyring(first)), first, second, 'w')
  else if (verb === 'retire' && first === 'orders' && third !== '') {
    write(retireOrders(readKeyring(second)), second, third, 'w')
  } else if (verb === 'rotate' && third !== '' && isRotatable(first)) {
    // A kind that the file does not have yet is created with the others and then rotated once.
    write(rotateKeyring(completeKeyring(readKeyring(second)), first), second, third, 'w')
  } else if (verb === 'redis') writeRedisLogins(words)
  else throw new Error(usage)
}

try {
  main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
