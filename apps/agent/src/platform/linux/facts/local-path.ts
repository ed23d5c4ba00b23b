import { ToolFailure } from '../../../tool-failure.ts'
import { mountOf, readMounts } from '../inventory/mounts.ts'

/** A server or a program that does not answer blocks every access to its files. */
const remote = /^(nfs\d?|cifs|smb3|smbfs|ceph|lustre|afs|coda|ncpfs|autofs|fuse|fuse\.(?!lxcfs).*)$/

/** @throws ToolFailure when a path is on another machine, or on a file system that a program makes up */
export async function requireLocal(path: string, mounts = readMounts): Promise<void> {
  const { fileSystem = '' } = mountOf(await mounts(), path) ?? {}
  if (remote.test(fileSystem))
    throw new ToolFailure('DENIED', `${path} is not on a local file system but on ${fileSystem}`)
}
