import { windowsPathFault } from '@muster/wire/commands/windows-path.ts'
import { ToolFailure } from '../../tool-failure.ts'

/**
 * A path on a drive with backslashes and without `.`. Names that Windows would not take literally are refused: network paths,
 * devices, alternate data streams, and names that end with a dot or a space.
 */
export function drivePath(path: string): string {
  const fault = windowsPathFault(path)
  if (fault !== undefined) throw new ToolFailure('INVALID_PAYLOAD', `path ${path} ${fault}`)
  const [letter = '', ...names] = path.split(/[\\/]+/)
  return `${letter.toUpperCase()}\\${names.filter((name) => name !== '' && name !== '.').join('\\')}`
}

/** The form of a path that Windows takes literally, also when it is long. */
export const extended = (path: string): string => `\\\\?\\${path}`

/** The form that people know. */
export const plain = (path: string): string =>
  path.replace(/^\\\\\?\\(UNC\\)?/, (_, unc) => (unc === undefined ? '' : '\\\\'))

/** Whether a resolved path is a folder or below it. Windows ignores case. */
export function isWithin(path: string, folder: string): boolean {
  const [one, other] = [path.toLowerCase(), folder.toLowerCase().replace(/\\$/, '')]
  return one === other || one.startsWith(`${other}\\`)
}
