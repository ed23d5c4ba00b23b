/** Names that Windows takes for devices in every folder, also with an extension. */
const deviceName = /^(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|CLOCK\$|COM[0-9¹²³]|LPT[0-9¹²³])\s*(\.|$)/i
const drive = /^[A-Za-z]:$/
const forbidden = /[<>"|?*]|\p{Cc}/u
const nameCharsMax = 255

/**
 * Why Windows would not take a path literally, after the words `path …`; undefined if it would. Network paths, devices, alternate
 * data streams, and names that end with a dot or a space are refused.
 */
export function windowsPathFault(path: string): string | undefined {
  if (/^[\\/]{2}/.test(path)) return 'is on the network or names a device; the agent opens local drives only'
  const [letter = '', ...names] = path.split(/[\\/]+/)
  if (!drive.test(letter)) return 'must start with a drive, such as C:\\Windows'
  for (const name of names) {
    const fault = nameFault(name)
    if (fault !== undefined) return fault
  }
  return undefined
}

function nameFault(name: string): string | undefined {
  if (name === '..') return 'must not contain ..'
  if (name.includes(':')) return 'names an alternate data stream'
  if (deviceName.test(name.trimEnd())) return 'names a device'
  if (forbidden.test(name)) return 'has a character that Windows does not allow'
  if (/[. ]$/.test(name) && name !== '.') return 'has a name that ends with a dot or a space'
  return name.length > nameCharsMax ? `has a name of more than ${nameCharsMax} characters` : undefined
}
