/** A reason not to start or go on that the person at the terminal can act on. Shown as one line, without a stack. */
export class StackError extends Error {
  override readonly name = 'StackError'
}

/** The code of a system error, such as ENOENT, if it is one. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** What an error says, in one line. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || errorCode(error) || error.name : String(error)
  const lines = text.split('\n').map((line) => line.trim())
  // A heading over several lines says nothing in a single one.
  return lines.filter((line) => line !== '' && !(lines.length > 1 && line.endsWith(':'))).join('; ')
}

/** Runs file work on the data folder and turns what the disk refuses into a clear line. */
export async function onDisk<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOSPC' || code === 'EDQUOT') throw new StackError(`The disk that holds ${folder} is full.`)
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
      throw new StackError(
        `The data folder ${folder} cannot be written (${code}). Choose another with MUSTER_DATA_DIR.`,
      )
    }
    if (code === 'ENOTDIR' || code === 'EEXIST') {
      throw new StackError(`The data folder ${folder} is not a folder. Choose another with MUSTER_DATA_DIR.`)
    }
    throw error
  }
}
