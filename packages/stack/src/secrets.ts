import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createGrantKeyring, readGrantKeyring } from '@muster/kit/secrets/grant-keyring.ts'
import {
  completeKeyring,
  createKeyring,
  deviceKeyring,
  isComplete,
  type Keyring,
  readDeviceKeyring,
  readKeyring,
} from '@muster/kit/secrets/keyring.ts'
import { z } from 'zod'
import { writeAtomically } from './data-folder.ts'
import { errorCode, StackError } from './failure.ts'

const Secrets = z.object({
  ownerPassword: z.string().min(1),
  appPassword: z.string().min(1),
  systemPassword: z.string().min(1),
  redisPassword: z.string().min(1),
  /** The first administrator's password, kept until it was shown. */
  bootstrapPassword: z.string().min(1).optional(),
})

export type Secrets = z.infer<typeof Secrets>

/** The secrets that the processes of one data folder share. */
export interface SecretFiles {
  readonly secrets: Secrets
  readonly keysFile: string
  readonly deviceKeysFile: string
  /** For admin alone. */
  readonly grantKeysFile: string
  /** Removes the first administrator's password from the disk. */
  forgetBootstrapPassword(): Promise<void>
}

const password = () => randomBytes(24).toString('base64url')

/** Reads the passwords and keys of a data folder, and creates them at the first start. */
export async function openSecrets(folder: string): Promise<SecretFiles> {
  const file = join(folder, 'secrets.json')
  const keysFile = join(folder, 'keyring.json')
  const deviceKeysFile = join(folder, 'device-keys.json')
  const grantKeysFile = join(folder, 'grant-keys.json')
  const known = await readSecrets(file)
  const secrets = known ?? (await makeSecrets(file, keysFile, deviceKeysFile))
  if (known !== undefined) await completeKeys(keysFile, deviceKeysFile)
  await completeGrantKeys(grantKeysFile)
  return {
    secrets,
    keysFile,
    deviceKeysFile,
    grantKeysFile,
    forgetBootstrapPassword: () => writeAtomically(file, JSON.stringify({ ...secrets, bootstrapPassword: undefined })),
  }
}

async function readSecrets(file: string): Promise<Secrets | undefined> {
  try {
    return Secrets.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    if (errorCode(error)) throw error
    throw damaged(file)
  }
}

const damaged = (file: string) =>
  new StackError(`The data folder is damaged: ${file} cannot be read. Restore it from a backup.`)

// The passwords are written last: if they exist, the keys are complete.
async function makeSecrets(file: string, keysFile: string, deviceKeysFile: string): Promise<Secrets> {
  const keyring = createKeyring()
  const secrets: Secrets = {
    ownerPassword: password(),
    appPassword: password(),
    systemPassword: password(),
    redisPassword: password(),
    bootstrapPassword: randomBytes(12).toString('base64url'),
  }
  await writeKeys(keyring, keysFile, deviceKeysFile)
  await writeAtomically(file, JSON.stringify(secrets))
  return secrets
}

/** Adds the keys for tickets and orders, which data folders of earlier versions lack. */
async function completeKeys(keysFile: string, deviceKeysFile: string): Promise<void> {
  const keyring = readKeys(keysFile, readKeyring)
  if (isComplete(keyring, readKeys(deviceKeysFile, readDeviceKeyring))) return
  await writeKeys(completeKeyring(keyring), keysFile, deviceKeysFile)
}

/** Creates the keys that sign grants of scripts, which data folders of earlier versions lack. */
async function completeGrantKeys(file: string): Promise<void> {
  if (existsSync(file)) readKeys(file, readGrantKeyring)
  else await writeAtomically(file, JSON.stringify(createGrantKeyring()))
}

function readKeys<Keys>(file: string, read: (file: string) => Keys): Keys {
  try {
    return read(file)
  } catch {
    throw damaged(file)
  }
}

async function writeKeys(keyring: Keyring, keysFile: string, deviceKeysFile: string): Promise<void> {
  await writeAtomically(keysFile, JSON.stringify(keyring))
  await writeAtomically(deviceKeysFile, JSON.stringify(deviceKeyring(keyring)))
}
