import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  completeKeyring,
  createKeyring,
  deviceKeyring,
  isComplete,
  type Keyring,
  readDeviceKeyring,
  readKeyring,
} from '@muster/kit/keyring.ts'
import { z } from 'zod'
import { writeAtomically } from './data-folder.ts'
import { errorCode, StackError } from './failure.ts'

const Secrets = z.object({
  ownerPassword: z.string().min(1),
  appPassword: z.string().min(1),
  systemPassword: z.string().min(1),
  redisPassword: z.string().min(1),
  /** The first administrator's, kept until it was shown. */
  bootstrapPassword: z.string().min(1).optional(),
})

export type Secrets = z.infer<typeof Secrets>

/** What the processes of one data folder know about each other. */
export interface SecretFiles {
  readonly secrets: Secrets
  readonly keysFile: string
  readonly deviceKeysFile: string
  /** Removes the first administrator's password from the disk. */
  forgetBootstrapPassword(): Promise<void>
}

const password = () => randomBytes(24).toString('base64url')

/** Reads the passwords and keys of a data folder, making them once. */
export async function openSecrets(folder: string): Promise<SecretFiles> {
  const file = join(folder, 'secrets.json')
  const keysFile = join(folder, 'keyring.json')
  const deviceKeysFile = join(folder, 'device-keys.json')
  const known = await readSecrets(file)
  const secrets = known ?? (await makeSecrets(file, keysFile, deviceKeysFile))
  if (known !== undefined) await completeKeys(keysFile, deviceKeysFile)
  return {
    secrets,
    keysFile,
    deviceKeysFile,
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
  new StackError(`The data folder is damaged: ${file} cannot be understood. Restore it from a backup.`)

// The passwords are written last: where they are, the keys are whole.
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

/** Data folders of earlier versions have no keys for tickets, or none for orders. */
async function completeKeys(keysFile: string, deviceKeysFile: string): Promise<void> {
  const keyring = readKeys(keysFile, readKeyring)
  if (isComplete(keyring, readKeys(deviceKeysFile, readDeviceKeyring))) return
  await writeKeys(completeKeyring(keyring), keysFile, deviceKeysFile)
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
