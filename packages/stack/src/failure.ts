/** A failure that the operator can act on. Printed as one line, without a stack trace. */
export class StackError extends Error {
  override readonly name = 'StackError'
}

/** The code of a system error, such as ENOENT, if it is one. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** The message of an error in one line. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || errorCode(error) || error.name : String(error)
  const lines = text.split('\n').map((line) => line.trim())
  // The first line of a multi-line message is only a heading.
  return lines.filter((line) => line !== '' && !(lines.length > 1 && line.endsWith(':'))).join('; ')
}

/** Runs file operations on the data folder and converts disk errors to clear messages. */
export async function onDisk<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new StackError(`The disk that holds ${folder} is full. Free space and start again.`)
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
      throw new StackError(
        `The data folder ${folder} cannot be written (${code}). Set MUSTER_DATA_DIR to another folder.`,
      )
    }
    if (code === 'ENOTDIR' || code === 'EEXIST') {
      throw new StackError(`The data folder ${folder} is not a folder. Set MUSTER_DATA_DIR to another one.`)
    }
    throw error
  }
}
