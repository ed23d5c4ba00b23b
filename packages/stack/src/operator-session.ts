import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { reasonOf, StackError } from './failure.ts'
import type { Stores } from './stores.ts'

const program = fileURLToPath(new URL('../../../apps/admin/src/operator-session-cli.ts', import.meta.url))
const programMs = 30_000
const run = promisify(execFile)

/** The system login of the database and the key file: they open a session without the user's password and second factor. */
export interface OperatorAccess {
  readonly urls: Pick<Stores['urls'], 'system'>
  readonly secretFiles: Pick<Stores['secretFiles'], 'keysFile'>
}

/**
 * Opens a session of 15 minutes as an administrator of the installation. It cannot be renewed; call again for another one.
 * @returns its access token
 * @throws StackError when no administrator has that address
 */
export async function operatorSession({ urls, secretFiles }: OperatorAccess, email: string): Promise<string> {
  const { PATH = '/usr/bin:/bin' } = process.env
  const env = { PATH, SYSTEM_DATABASE_URL: urls.system, KEYS_FILE: secretFiles.keysFile }
  try {
    const { stdout } = await run(process.execPath, [program, email], { env, timeout: programMs })
    return stdout.trim()
  } catch (error) {
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : ''
    throw new StackError(said || reasonOf(error))
  }
}
