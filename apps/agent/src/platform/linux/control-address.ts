import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { controlFile } from '../../control.ts'
import type { ControlAddress } from '../platform.ts'

/** Limit of the kernel for the paths of sockets. */
const socketPathMax = 100

/** The address for a new control socket; one that an earlier agent left is removed. */
export async function ownControlAddress(directory: string): Promise<ControlAddress> {
  await rm(join(directory, controlFile), { force: true })
  return controlAddress(directory)
}

/** The address of the agent's control socket in a folder. */
export const controlAddress = (directory: string): Promise<ControlAddress> => socketPath(directory, controlFile)

/** A path that reaches a socket in a folder, however long the folder's own path is. */
export async function socketPath(directory: string, name: string): Promise<ControlAddress> {
  const path = join(directory, name)
  if (path.length <= socketPathMax) return { path, close: async () => undefined }
  const folder = await open(directory, 'r')
  return { path: `/proc/self/fd/${folder.fd}/${name}`, close: () => folder.close() }
}
