// npm run keys -- create <key file> <public key file>
// npm run keys -- rotate accessTokens|deviceCertificates|encryption <key file> <public key file>
import { writeFileSync } from 'node:fs'
import {
  createKeyring,
  type Keyring,
  publicPart,
  type RotatableKind,
  readKeyring,
  rotatableKinds,
  rotateKeyring,
} from './keyring.ts'

const usage = `usage: npm run keys -- create <key file> <public key file>
       npm run keys -- rotate accessTokens|deviceCertificates|encryption <key file> <public key file>`

const isRotatable = (kind: string): kind is RotatableKind => rotatableKinds.some((known) => known === kind)

function write(keyring: Keyring, file: string, publicFile: string, flag: 'w' | 'wx') {
  writeFileSync(file, `${JSON.stringify(keyring, null, 2)}\n`, { mode: 0o600, flag })
  writeFileSync(publicFile, `${JSON.stringify(publicPart(keyring), null, 2)}\n`, { flag })
}

function main([verb, ...words]: string[]): void {
  const [first = '', second = '', third = ''] = words
  if (verb === 'create' && second !== '') write(createKeyring(), first, second, 'wx')
  else if (verb === 'rotate' && third !== '' && isRotatable(first)) {
    write(rotateKeyring(readKeyring(second), first), second, third, 'w')
  } else throw new Error(usage)
}

try {
  main(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
