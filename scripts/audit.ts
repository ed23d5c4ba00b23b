// `npm run audit -- verify [export file] [--partner id]`: verifies the audit log and names the first invalid record. With a
// file it needs no database. Exit code 1: the log is invalid. 2: it could not be verified.
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { headKeys } from '@muster/areas/platform/audit/chain/signed-heads.ts'
import type { ChainReport } from '@muster/areas/platform/audit/chain/verify.ts'
import { verifyDatabase } from '@muster/areas/platform/audit/chain/verify-database.ts'
import { verifyExport } from '@muster/areas/platform/audit/chain/verify-export.ts'
import { createPool } from '@muster/db/pool.ts'
import { postgresUrl, readConfig } from '@muster/kit/config.ts'
import { readKeyring } from '@muster/kit/secrets/keyring.ts'
import { z } from 'zod'

const usage = `usage: npm run audit -- verify [export file] [--partner <id>]

Without a file: verifies the database of SYSTEM_DATABASE_URL, else of DATABASE_URL, else that of the running Muster whose
data folder is MUSTER_DATA_DIR. KEYS_FILE names the keys that may sign heads; without it those of the data folder are
used, and without those the signatures are only held against the keys that stand beside them.`

const settings = readConfig(
  z.object({
    SYSTEM_DATABASE_URL: postgresUrl().optional(),
    DATABASE_URL: postgresUrl().optional(),
    KEYS_FILE: z.string().optional(),
    MUSTER_DATA_DIR: z.string().default('.muster'),
  }),
)
const folder = resolve(settings.MUSTER_DATA_DIR)

/** The address of the database that a running Muster keeps in its data folder. */
async function ownDatabase(): Promise<string> {
  try {
    const secrets = z.object({ systemPassword: z.string() })
    const { systemPassword } = secrets.parse(JSON.parse(await readFile(join(folder, 'secrets.json'), 'utf8')))
    const port = (await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[3]
    return `postgres://muster_system:${encodeURIComponent(systemPassword)}@127.0.0.1:${port}/muster`
  } catch (cause) {
    throw new Error(
      `There is no database to verify. Set SYSTEM_DATABASE_URL, or start the Muster with its data in ${folder}`,
      { cause },
    )
  }
}

function trustedKeys(): ReadonlyMap<string, string> | null {
  if (settings.KEYS_FILE !== undefined) return headKeys(readKeyring(settings.KEYS_FILE))
  try {
    return headKeys(readKeyring(join(folder, 'keyring.json')))
  } catch {
    console.log('no key file: signatures are verified only with the keys that are stored beside them')
    return null
  }
}

function say({ chainId, records, from, to, signedTo, fault }: ChainReport): void {
  const what = `chain ${chainId}: ${records} records, ${from} to ${to}, signed to ${signedTo}`
  if (fault === null) console.log(`ok     ${what}`)
  else {
    const record = fault.id === null ? '' : ` (${fault.id})`
    console.log(`FAULT  ${what}\n       ${fault.kind} at ${fault.sequence}${record}: ${fault.message}`)
  }
}

async function ofDatabase(partner: string | undefined): Promise<readonly ChainReport[]> {
  const url = settings.SYSTEM_DATABASE_URL ?? settings.DATABASE_URL ?? (await ownDatabase())
  const pool = createPool({ url, name: 'muster-audit', max: 2, statementMs: 600_000 })
  try {
    const { chains, waiting } = await verifyDatabase(pool, trustedKeys(), partner)
    if (waiting > 0) console.log(`${waiting} records are not in a chain yet`)
    return chains
  } finally {
    await pool.end()
  }
}

async function ofFile(file: string): Promise<readonly ChainReport[]> {
  const { chains, waiting, complete, heads } = await verifyExport(file, trustedKeys())
  if (waiting > 0) console.log(`${waiting} records were not in a chain yet when they were exported`)
  if (!complete) console.log('the export is filtered: missing records cannot be detected')
  if (complete && heads.length === 0)
    console.log('the export has no signed head: truncation at its end cannot be detected')
  return chains
}

try {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { partner: { type: 'string' } } })
  const [command, file] = positionals
  if (command !== 'verify') throw new Error(usage)
  const chains = file === undefined ? await ofDatabase(values.partner) : await ofFile(file)
  for (const chain of chains) say(chain)
  const faulty = chains.filter(({ fault }) => fault !== null).length
  console.log(faulty === 0 ? `${chains.length} chains are valid` : `${faulty} of ${chains.length} chains are invalid`)
  process.exitCode = faulty === 0 ? 0 : 1
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 2
}
