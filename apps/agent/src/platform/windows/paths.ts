import { ToolFailure } from '../../tool-failure.ts'

/** Names that Windows takes for devices in every folder, also with an extension. */
const deviceName = /^(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|CLOCK\$|COM[0-9¹²³]|LPT[0-9¹²³])\s*(\.|$)/i
const drive = /^[A-Za-z]:$/
const forbidden = /[<>"|?*]|\p{Cc}/u

/**
 * A path on a drive with backslashes and without `.`. Names that Windows would not take literally are refused: network paths,
 * devices, alternate data streams, and names that end with a dot or a space.
 */
export function drivePath(path: string): string {
  const refuse = (why: string) => new ToolFailure('INVALID_PAYLOAD', `path ${path} ${why}`)
  if (/^[\\/]{2}/.test(path)) throw refuse('is on the network or names a device; the agent opens local drives only')
  const [letter = '', ...names] = path.split(/[\\/]+/)
  if (!drive.test(letter)) throw refuse('must start with a drive, such as C:\\Windows')
  for (const name of names) {
    if (name === '..') throw refuse('must not contain ..')
    if (name.includes(':')) throw refuse('names an alternate data stream')
    if (deviceName.test(name.trimEnd())) throw refuse('names a device')
    if (forbidden.test(name)) throw refuse('has a character that Windows does not allow')
    if (/[. ]$/.test(name) && name !== '.') throw refuse('has a name that ends with a dot or a space')
  }
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
