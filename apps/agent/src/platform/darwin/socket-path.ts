import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { controlFile } from '../../control.ts'
import type { ControlAddress } from '../platform.ts'
import type { SocketPath } from '../posix/claim.ts'

/** The kernel takes 103 bytes for the path of a socket. */
const socketPathMax = 100

/** For a folder with a long path, a link with a short one stands in a folder that only this user can enter. */
export const socketPath: SocketPath = async (directory, name) => {
  const path = join(directory, name)
  if (Buffer.byteLength(path) <= socketPathMax) return { path, close: async () => undefined }
  const folder = await mkdtemp('/tmp/muster-')
  await symlink(directory, join(folder, 'd'))
  return { path: join(folder, 'd', name), close: () => rm(folder, { recursive: true, force: true }) }
}

/** The address of the agent's control socket in a folder. */
export const controlAddress = (directory: string): Promise<ControlAddress> => socketPath(directory, controlFile)

/** The address for a new control socket; one that an earlier agent left is removed. */
export async function ownControlAddress(directory: string): Promise<ControlAddress> {
  await rm(join(directory, controlFile), { force: true })
  return controlAddress(directory)
}
