import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { controlFile } from '../../control.ts'
import type { ControlAddress } from '../platform.ts'
import type { SocketPath } from '../posix/claim.ts'

/** Limit of the kernel for the paths of sockets. */
const socketPathMax = 100

/** The address for a new control socket; one that an earlier agent left is removed. */
export async function ownControlAddress(directory: string): Promise<ControlAddress> {
  await rm(join(directory, controlFile), { force: true })
  return controlAddress(directory)
}

/** The address of the agent's control socket in a folder. */
export const controlAddress = (directory: string): Promise<ControlAddress> => socketPath(directory, controlFile)

export const socketPath: SocketPath = async (directory, name) => {
  const path = join(directory, name)
  if (path.length <= socketPathMax) return { path, close: async () => undefined }
  const folder = await open(directory, 'r')
  return { path: `/proc/self/fd/${folder.fd}/${name}`, close: () => folder.close() }
}
