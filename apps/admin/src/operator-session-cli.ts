// node apps/admin/src/operator-session-cli.ts <email address>
import '@muster/kit/production.ts'

import { OperatorSessionError, openOperatorSession } from '@muster/areas/operator-session.ts'
import { createPool } from '@muster/db/pool.ts'
import { ConfigError, readConfig } from '@muster/kit/config.ts'
import { readKeyring } from '@muster/kit/secrets/keyring.ts'
import { adminSettings } from './config.ts'

const usage = `usage: node apps/admin/src/operator-session-cli.ts <email address>
Prints an access token of that administrator of the installation, which is valid for 15 minutes.
Reads SYSTEM_DATABASE_URL and KEYS_FILE like admin.`

async function main([email, ...more]: string[]): Promise<void> {
  if (email === undefined || more.length > 0) throw new OperatorSessionError(usage)
  const config = readConfig(adminSettings.pick({ SYSTEM_DATABASE_URL: true, KEYS_FILE: true }))
  const system = createPool({ url: config.SYSTEM_DATABASE_URL, name: 'muster-operator', max: 1 })
  try {
    process.stdout.write(`${await openOperatorSession({ system, keyring: readKeyring(config.KEYS_FILE) }, email)}\n`)
  } finally {
    await system.end()
  }
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  // The stack trace of an expected error would not help.
  const isExpected = error instanceof OperatorSessionError || error instanceof ConfigError
  console.error(isExpected ? error.message : error)
  process.exitCode = 1
}
