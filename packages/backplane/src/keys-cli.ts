// npm run keys -- create <key file> <device key file>
// npm run keys -- redis <folder> [<host>:<port>]
// npm run keys -- rotate accessTokens|deviceCertificates|encryption|tickets <key file> <device key file>
import { chmodSync, statSync, writeFileSync } from 'node:fs'
import {
  createKeyring,
  deviceKeyring,
  type Keyring,
  type RotatableKind,
  readKeyring,
  rotatableKinds,
  rotateKeyring,
} from '@muster/kit/keyring.ts'
import { redisLoginsUsage, writeRedisLogins } from './redis-login-files.ts'

const usage = `usage: npm run keys -- create <key file> <device key file>
       npm run keys -- rotate accessTokens|deviceCertificates|encryption|tickets <key file> <device key file>
       ${redisLoginsUsage}`

const isRotatable = (kind: string): kind is RotatableKind => rotatableKinds.some((known) => known === kind)

function write(keyring: Keyring, file: string, deviceFile: string, flag: 'w' | 'wx') {
  writeFileSync(file, `${JSON.stringify(keyring, null, 2)}\n`, { mode: 0o600, flag })
  writeFileSync(deviceFile, `${JSON.stringify(deviceKeyring(keyring), null, 2)}\n`, { mode: 0o600, flag })
  // Before it held keys of tickets there was nothing to hide in it.
  chmodSync(deviceFile, statSync(deviceFile).mode & 0o660)
}

function main([verb, ...words]: string[]): void {
  const [first = '', second = '', third = ''] = words
  if (verb === 'create' && second !== '') write(createKeyring(), first, second, 'wx')
  else if (verb === 'rotate' && third !== '' && isRotatable(first)) {
    write(rotateKeyring(readKeyring(second), first), second, third, 'w')
  } else if (verb === 'redis') writeRedisLogins(words)
  else throw new Error(usage)
}

try {
  main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
