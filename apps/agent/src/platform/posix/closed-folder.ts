import { access, chmod, constants, mkdir, readdir, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'

/** Restricts a folder to its owner, which must be this user: content from another user would run with our rights. */
export async function closeFolder(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await access(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  const [{ uid, mode }, own] = [await stat(directory), userInfo().uid]
  if (uid !== own) throw new Error(`it belongs to user ${uid}, but the agent runs as user ${own}`)
  if ((mode & 0o077) === 0) return
  await chmod(directory, 0o700)
  const files = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isFile())
  await Promise.all(files.map(({ name }) => chmod(join(directory, name), 0o600)))
}
